import GroveWire
import OrderedJSON

extension OpenAPI {
    /// The answers of a route: its success, what it may say instead, and the refusals by status.
    static func responses(_ route: HTTPRoute, _ writer: inout JSONWriter) {
        writer.comma()
        writer.string("\(route.action == .socket ? 101 : route.success)")
        writer.bytes.append(UInt8(ascii: ":"))
        writer.object { success(route, &$0) }
        if route.action == .op(.create) {
            further("200", "a repeat", repeated, &writer)
        }
        if route.conditions.contains(.cached) {
            writer.literal(#","304":{"description":"the client has it"}"#)
        }
        if route.action == .live || route.action == .ready {
            let word = route.action == .live ? "live" : "ready"
            further("503", "it isn't", health(word, false), &writer)
        }
        if case .op = route.action {
            for status in refusals {
                writer.comma()
                writer.string(String(status))
                writer.literal(##":{"$ref":"#/components/responses/Problem"}"##)
            }
        }
        writer.literal(##","default":{"$ref":"#/components/responses/Problem"}"##)
    }

    /// The statuses of all codes.
    private static let refusals = Set(ErrorCode.allCases.map(\.status)).sorted()

    private static func success(_ route: HTTPRoute, _ writer: inout JSONWriter) {
        writer.member("description", route.summary)
        let fields = headers(of: route)
        if !fields.isEmpty {
            writer.object("headers") { writer in
                for (name, meaning) in fields {
                    writer.object(name) { writer in
                        writer.member("description", meaning)
                        writer.member("schema", json: Array(#"{"type":"string"}"#.utf8))
                    }
                }
            }
        }
        let answers = answers(of: route)
        guard !answers.isEmpty else { return }
        writer.object("content") { writer in
            for answer in answers {
                writer.comma()
                writer.string(answer.type)
                writer.literal(":")
                writer.object { writer in
                    if let schema = answer.schema { writer.schema(schema) }
                }
            }
        }
    }

    /// Writes an answer of another status.
    private static func further(
        _ status: String, _ description: String, _ schema: JSONSchema, _ writer: inout JSONWriter
    ) {
        writer.comma()
        writer.string(status)
        writer.literal(":")
        writer.object { writer in
            writer.member("description", description)
            writer.object("content") { $0.object("application/json") { $0.schema(schema) } }
        }
    }

    /// The fields that say something about a success.
    private static func headers(of route: HTTPRoute) -> [(name: StaticString, meaning: String)] {
        var fields: [(StaticString, String)] = []
        if route.conditions.contains(.cached) {
            fields.append(("ETag", "the version, for If-Match and If-None-Match"))
        }
        if route.success == 201 { fields.append(("Location", "the path of what was created")) }
        if route.isPage {
            fields.append(("Link", "the next page, if there is one"))
        }
        return fields
    }
}
