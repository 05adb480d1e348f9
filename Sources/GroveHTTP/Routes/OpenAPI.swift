import GroveWire
import OrderedJSON

/// The description of the API as OpenAPI 3.1, made from the table of routes.
enum OpenAPI {
    /// The document.
    static let document: [UInt8] = {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("openapi", "3.1.0")
            writer.object("info") { writer in
                writer.member("title", "Grove")
                writer.member("version", ProtocolVersion.server)
                writer.member(
                    "description",
                    "State machines over HTTP. Bodies are the members of requests and replies of "
                        + "the line protocol.")
            }
            writer.object("paths") { paths(&$0) }
            // Whether a server asks who is there is its operator's choice.
            writer.literal(#","security":[{"token":[]},{}]"#)
            writer.object("components") { components(&$0) }
        }
        return writer.bytes
    }()

    private static func paths(_ writer: inout JSONWriter) {
        var templates: [String] = []
        for route in HTTPRoute.all where !templates.contains(route.template) {
            templates.append(route.template)
        }
        for template in templates {
            writer.comma()
            writer.string(template)
            writer.bytes.append(UInt8(ascii: ":"))
            writer.object { writer in
                for route in HTTPRoute.all where route.template == template {
                    writer.comma()
                    writer.string(route.method.text.lowercased())
                    writer.bytes.append(UInt8(ascii: ":"))
                    writer.object { operation(route, &$0) }
                }
            }
        }
    }

    private static func operation(_ route: HTTPRoute, _ writer: inout JSONWriter) {
        writer.member("operationId", route.name)
        writer.member("summary", route.summary)
        if route.isPublic { writer.array("security", [String]()) }
        writer.name("parameters")
        writer.bytes.append(UInt8(ascii: "["))
        for case .variable(let name) in route.segments {
            writer.comma()
            parameter(name, "path", isRequired: true, schema(ofVariable: name), "", &writer)
        }
        for query in route.parameters {
            writer.comma()
            parameter(
                query.name, "query", isRequired: query.isRequired, query.schema,
                query.meaning, &writer)
        }
        for (condition, name, meaning) in conditions where route.conditions.contains(condition) {
            writer.comma()
            parameter(name, "header", isRequired: false, .text, meaning, &writer)
        }
        if route.takesTrace {
            writer.comma()
            parameter(
                "traceparent", "header", isRequired: false, .text,
                "the trace to which the steps belong (W3C, Trace Context)", &writer)
        }
        writer.bytes.append(UInt8(ascii: "]"))
        if let body = body(of: route) {
            writer.object("requestBody") { writer in
                writer.member("required", route.body != .members)
                writer.object("content") { writer in
                    writer.object("application/json") { $0.schema(body) }
                }
            }
        }
        writer.object("responses") { responses(route, &$0) }
    }

    private static let conditions: [(HTTPRoute.Condition, String, String)] = [
        (.key, "Idempotency-Key", "a key that makes repeats safe"),
        (.expect, "If-Match", "the ETag that the instance must have, or * if it must exist"),
        (.expect, "If-None-Match", "* if the instance must not exist"),
        (.cached, "If-None-Match", "the ETag that the client has"),
        (.lastEvent, "Last-Event-ID", "the cursor after which to continue"),
    ]

    private static func parameter(
        _ name: String, _ place: String, isRequired: Bool, _ schema: JSONSchema, _ meaning: String,
        _ writer: inout JSONWriter
    ) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("in", place)
            writer.member("required", isRequired)
            if !meaning.isEmpty { writer.member("description", meaning) }
            if schema.isList {
                // With commas, as `kind=output,state`.
                writer.member("style", "form")
                writer.member("explode", false)
            }
            writer.schema(schema)
        }
    }

    private static func schema(ofVariable name: String) -> JSONSchema {
        switch name {
        case "machine": .of(.machineName)
        case "name": .text.matching(SchemaComponent.instancePattern)
        case "effect": .integer(from: 1)
        case "code": .word(ErrorCode.allCases.map(\.rawValue))
        default: .text
        }
    }

    private static func components(_ writer: inout JSONWriter) {
        writer.literal(
            """
            "securitySchemes":{"token":{"type":"http","scheme":"bearer"}},"responses":{"Problem":\
            {"description":"a refusal","headers":{"Retry-After":{"description":\
            "seconds after which to try again","schema":{"type":"integer"}},"WWW-Authenticate":\
            {"description":"with 401","schema":{"type":"string"}},"Allow":{"description":\
            "with 405: the methods","schema":{"type":"string"}}},"content":\
            {"application/problem+json":{
            """)
        writer.schema(.of(.problem))
        writer.literal("}}}}")
        writer.object("schemas") { writer in
            for component in SchemaComponent.allCases {
                writer.comma()
                writer.string(component.rawValue)
                writer.literal(":")
                component.schema.append(to: &writer)
            }
        }
    }
}

extension JSONWriter {
    /// Appends the member `schema`.
    mutating func schema(_ schema: JSONSchema) {
        name("schema")
        schema.append(to: &self)
    }
}

extension HTTPRoute {
    /// The name of the operation: the method, and the words of its path.
    var name: String {
        let words = segments.map { segment in
            switch segment {
            case .literal(let text): String(decoding: text, as: UTF8.self)
            case .variable(let name): "by-\(name)"
            }
        }
        return ([method.text.lowercased()] + words).joined(separator: "-")
    }
}

extension HTTPParameter {
    /// The JSON Schema of the value.
    var schema: JSONSchema {
        switch form {
        case .text, .start: .text
        case .words(let words): .list(of: .word(words))
        case .integer:
            range.map { .integer(from: Int64($0.lowerBound), to: Int64($0.upperBound)) } ?? .count
        case .flag: .flag
        case .word(let words): .word(words)
        }
    }
}
