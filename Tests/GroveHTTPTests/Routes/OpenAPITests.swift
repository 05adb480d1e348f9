import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveHTTP

@Suite("OpenAPI")
struct OpenAPITests {
    private let document = Result { try JSONValue(parsing: OpenAPI.document) }

    @Test func `it has every route, with a name of its own`() throws {
        let paths = try document.get()["paths"]
        var names: Set<String> = []
        for route in HTTPRoute.all {
            let operation = paths?[route.template]?[route.method.text.lowercased()]
            let name = try #require(operation?["operationId"]?.string, "\(route.template)")
            #expect(names.insert(name).inserted, "\(name)")
            let parameters = operation?["parameters"]?.array ?? []
            let variables = route.template.split(separator: "/").count { $0.hasPrefix("{") }
            #expect(parameters.count >= variables + route.parameters.count)
        }
    }

    @Test func `whatever may cause steps takes a trace`() throws {
        let paths = try document.get()["paths"]
        func takesTrace(_ path: String, _ method: String) -> Bool {
            let parameters = paths?[path]?[method]?["parameters"]?.array ?? []
            return parameters.contains {
                $0["name"]?.string == "traceparent" && $0["in"]?.string == "header"
            }
        }
        let instance = "/v1/instances/{machine}/{name}"
        #expect(takesTrace(instance, "put") && takesTrace(instance, "delete"))
        #expect(takesTrace(instance + "/events", "post") && takesTrace(instance + "/stop", "post"))
        #expect(takesTrace("/v1/batch", "post"))
        #expect(!takesTrace(instance, "get") && !takesTrace("/v1/records", "get"))
    }

    @Test func `what is referred to is there, and what is there is referred to`() throws {
        let document = try document.get()
        #expect(document["openapi"]?.string == "3.1.0")
        #expect(document["components"]?["securitySchemes"]?["token"] != nil)
        let validator = SchemaValidator(document)
        var references: Set<String> = []
        Self.visit(document) { object in
            if let reference = object["$ref"]?.string { references.insert(reference) }
        }
        for reference in references {
            #expect(validator[reference] != nil, "\(reference)")
        }
        for component in SchemaComponent.allCases {
            #expect(references.contains(component.path), "\(component.rawValue)")
        }
        #expect(references.contains("#/components/responses/Problem"))
    }

    @Test func `its schemas have only words that the validator of the tests knows`() throws {
        var found: Set<String> = []
        Self.visit(try document.get()) { object in
            guard let schema = object["schema"] else { return }
            found.formUnion(SchemaValidator.words(of: schema))
        }
        for schema in try document.get()["components"]?["schemas"]?.object ?? JSONObject() {
            found.formUnion(SchemaValidator.words(of: schema.value))
        }
        #expect(found.subtracting(SchemaValidator.words) == [])
        #expect(found.isSuperset(of: ["$ref", "oneOf", "const", "pattern", "required"]))
    }

    @Test func `a member that must be there has a schema`() throws {
        Self.visit(try document.get()) { object in
            guard let properties = object["properties"]?.object else { return }
            for name in object["required"]?.array ?? [] {
                #expect(properties[name.string ?? ""] != nil, "\(name)")
            }
        }
    }

    @Test func `every body and every answer in JSON has a schema with parts`() throws {
        let paths = try document.get()["paths"]
        for route in HTTPRoute.all {
            let operation = paths?[route.template]?[route.method.text.lowercased()]
            let body = operation?["requestBody"]
            #expect((body != nil) == (route.body != .none), "\(route.name)")
            if let body {
                let isRequired = route.body == .event || route.body == .requiredMembers
                #expect(body["required"] == .bool(isRequired), "\(route.name)")
                let schema = body["content"]?["application/json"]?["schema"]
                #expect(schema?.object?.isEmpty == false, "\(route.name)")
            }
            guard case .op = route.action else { continue }
            let answer = operation?["responses"]?["\(route.success)"]?["content"]
            let schema = answer?["application/json"]?["schema"]
            #expect(schema?.object?.isEmpty == false, "\(route.name)")
        }
    }

    @Test func `a body has nothing that stands in the path`() throws {
        for route in HTTPRoute.all {
            guard case .op(let op) = route.action, route.body != .none else { continue }
            let form = try #require(OpenAPI.forms(of: op).first)
            let body = try #require(OpenAPI.body(of: route))
            var writer = JSONWriter()
            body.append(to: &writer)
            let named = try JSONValue(parsing: writer.bytes)["properties"]?.object ?? JSONObject()
            for name in route.membersOfPath { #expect(named[name] == nil, "\(route.name)") }
            guard route.body != .event, OpenAPI.forms(of: op).count == 1 else { continue }
            let others = form.members.filter { !route.membersOfPath.contains($0.name) }
            #expect(named.map(\.name) == others.map(\.name) + ["traceparent"], "\(route.name)")
        }
    }

    @Test func `bounds and words are those of the parameters`() throws {
        let paths = try document.get()["paths"]
        let list = paths?["/v1/instances"]?["get"]?["parameters"]?.array ?? []
        let limit = list.first { $0["name"]?.string == "limit" }?["schema"]
        #expect(limit?["maximum"]?.integer == Int64(ProtocolLimits.pageItemsMax))
        let records = paths?["/v1/records"]?["get"]?["parameters"]?.array ?? []
        let kind = records.first { $0["name"]?.string == "kind" }
        #expect(kind?["explode"] == .bool(false))
        let words = kind?["schema"]?["items"]?["enum"]?.array?.compactMap(\.string)
        #expect(words == ProtocolWords.recordKinds)
    }

    @Test func `it is small`() { #expect(OpenAPI.document.count < 120_000) }

    /// Calls a function with every object in a value.
    private static func visit(_ value: JSONValue, _ call: (JSONObject) -> Void) {
        for element in value.array ?? [] { visit(element, call) }
        guard let object = value.object else { return }
        call(object)
        for member in object { visit(member.value, call) }
    }
}
