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
            writer.literal(#","200":{"description":"a repeat","content":{"application/json":"#)
            writer.literal(#"{"schema":{"type":"object"}}}}"#)
        }
        if route.conditions.contains(.cached) {
            writer.literal(#","304":{"description":"the client has it"}"#)
        }
        if route.action == .live || route.action == .ready {
            writer.literal(#","503":{"description":"it isn't","content":{"application/json":"#)
            writer.literal(#"{"schema":{"type":"object"}}}}"#)
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
        let types = route.mediaTypes
        guard !types.isEmpty else { return }
        writer.object("content") { writer in
            for type in types {
                writer.comma()
                writer.string(type)
                writer.literal(#":{"schema":{"type":"#)
                writer.string(type == "application/json" ? "object" : "string")
                writer.literal("}}")
            }
        }
    }

    /// The fields that say something about a success.
    private static func headers(of route: HTTPRoute) -> [(name: StaticString, meaning: String)] {
        var fields: [(StaticString, String)] = []
        if route.conditions.contains(.cached) || route.conditions.contains(.expect) {
            fields.append(("ETag", "the version, for If-Match and If-None-Match"))
        }
        if route.success == 201 { fields.append(("Location", "the path of what was created")) }
        if route.isPage {
            fields.append(("Link", "the next page, if there is one"))
        }
        return fields
    }
}

extension HTTPRoute {
    /// The types that a success's body may have.
    fileprivate var mediaTypes: [String] {
        let first = mediaType.map { [$0] } ?? []
        return action == .records ? first + ["application/x-ndjson"] : first
    }
}
