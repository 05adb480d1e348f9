import GroveTestSupport
import GroveWire
import OrderedJSON

@testable import GroveHTTP

/// The server's description of its API, to hold conversations against it.
struct HTTPDescription {
    let document: JSONValue
    /// With no members but those that are described.
    let strict: SchemaValidator
    /// With members that the server ignores.
    let lenient: SchemaValidator

    init() throws {
        document = try JSONValue(parsing: OpenAPI.document)
        strict = SchemaValidator(document, isStrict: true)
        lenient = SchemaValidator(document)
    }

    /// The route of the first line of a request.
    static func route(of request: String) -> HTTPRoute? {
        let words = request.split(separator: " ").map(String.init)
        guard words.count > 1 else { return nil }
        let path = words[1].prefix { $0 != "?" }.split(separator: "/").map { ArraySlice($0.utf8) }
        return HTTPRoute.all.first { $0.method.text == words[0] && $0.match(path) != nil }
    }

    /// The route for a request in a line; `nil` for an op that has none.
    static func route(of op: Op, _ line: JSONValue) -> HTTPRoute? {
        let isOfInstance = line["to"] != nil || line["name"]?.string?.contains("/") == true
        let routes = HTTPRoute.all.filter { $0.action == .op(op) }
        return routes.last { $0.isOfInstance == isOfInstance } ?? routes.last
    }

    /// Where the schema of a route's body stands.
    static func body(of route: HTTPRoute) -> String {
        operation(route) + "/requestBody/content/application~1json/schema"
    }

    private static func operation(_ route: HTTPRoute) -> String {
        let path = route.template.replacing("/", with: "~1")
        return "#/paths/\(path)/\(route.method.text.lowercased())"
    }

    /// Where an answer is described; `nil` if it isn't.
    ///
    /// - Parameters:
    ///   - route: The route; `nil` for a request that has none, or can't be read.
    ///   - type: The answer's type, without its parameters.
    func answer(of route: HTTPRoute?, _ status: Int, _ type: String) -> String? {
        var place = "#/components/responses/Problem"
        if let route {
            let all = Self.operation(route) + "/responses"
            place = "\(all)/\(status)"
            if strict[place] == nil {
                guard status >= 400 else { return nil }
                place = all + "/default"
            }
            if let reference = strict[place + "/$ref"]?.string { place = reference }
        }
        let content = "\(place)/content/\(type.replacing("/", with: "~1"))"
        return strict[content] == nil ? nil : content + "/schema"
    }

    /// The places of all members that are described.
    var members: Set<String> { Self.members(of: document, at: "#") }

    private static func members(of value: JSONValue, at place: String) -> Set<String> {
        var found: Set<String> = []
        for (index, element) in (value.array ?? []).enumerated() {
            found.formUnion(members(of: element, at: "\(place)/\(index)"))
        }
        for member in value.object ?? JSONObject() {
            let inner = "\(place)/\(member.name.replacing("/", with: "~1"))"
            if place.hasSuffix("/properties") { found.insert(inner) }
            found.formUnion(members(of: member.value, at: inner))
        }
        return found
    }
}
