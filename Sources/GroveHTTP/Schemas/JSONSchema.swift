import OrderedJSON

/// A schema of a JSON value in the description of the API: JSON Schema 2020-12, as OpenAPI 3.1 has
/// it.
///
/// Objects are open: a server ignores members that it doesn't know, and a client should, because
/// later versions may add some.
struct JSONSchema: Sendable {
    /// Its words in their order, each with its value as JSON. None allow every value.
    private(set) var words: [(name: String, json: [UInt8])] = []

    /// Every value.
    static let any = JSONSchema()
    /// No value: the member of an object isn't there.
    static let never: JSONSchema = {
        var schema = JSONSchema()
        schema.add("not") { any.append(to: &$0) }
        return schema
    }()
    /// Every string.
    static let text = JSONSchema(type: "string")
    static let flag = JSONSchema(type: "boolean")
    static let integer = JSONSchema(type: "integer")
    /// An integer from 0.
    static let count = integer(from: 0)

    /// A schema without words.
    private init() {}

    private init(type: String) { add("type") { $0.string(type) } }

    /// A string within bounds. Bytes are bounded, and a string has no more characters than those.
    static func text(_ bytes: ClosedRange<Int>) -> JSONSchema {
        var schema = text
        if bytes.lowerBound > 0 {
            schema.add("minLength") { $0.integer(Int64(bytes.lowerBound)) }
        }
        schema.add("maxLength") { $0.integer(Int64(bytes.upperBound)) }
        return schema
    }

    /// A string of at least `least` characters.
    static func text(from least: Int) -> JSONSchema {
        text.with("minLength") { $0.integer(Int64(least)) }
    }

    /// An integer within bounds.
    static func integer(from least: Int64, to most: Int64? = nil) -> JSONSchema {
        var schema = JSONSchema(type: "integer")
        schema.add("minimum") { $0.integer(least) }
        if let most { schema.add("maximum") { $0.integer(most) } }
        return schema
    }

    /// A string of a closed list.
    static func word(_ words: [String]) -> JSONSchema {
        var schema = text
        schema.add("enum") { $0.strings(words) }
        return schema
    }

    /// Only this string.
    static func only(_ word: String) -> JSONSchema {
        var schema = JSONSchema()
        schema.add("const") { $0.string(word) }
        return schema
    }

    /// Only this truth value.
    static func only(_ value: Bool) -> JSONSchema {
        var schema = JSONSchema()
        schema.add("const") { $0.bool(value) }
        return schema
    }

    /// Only this integer.
    static func only(_ value: Int64) -> JSONSchema {
        var schema = JSONSchema()
        schema.add("const") { $0.integer(value) }
        return schema
    }

    static func list(of element: JSONSchema, _ count: ClosedRange<Int>? = nil) -> JSONSchema {
        var schema = JSONSchema(type: "array")
        schema.add("items") { element.append(to: &$0) }
        if let count {
            if count.lowerBound > 0 {
                schema.add("minItems") { $0.integer(Int64(count.lowerBound)) }
            }
            schema.add("maxItems") { $0.integer(Int64(count.upperBound)) }
        }
        return schema
    }

    /// An object whose members have names of their own, and values that are alike.
    static func map(of value: JSONSchema) -> JSONSchema {
        var schema = JSONSchema(type: "object")
        schema.add("additionalProperties") { value.append(to: &$0) }
        return schema
    }

    /// An object with these members.
    ///
    /// - Parameter choice: Names of members of which exactly one must be there.
    static func object(_ members: [JSONMember], exactlyOneOf choice: [String] = []) -> JSONSchema {
        var schema = JSONSchema(type: "object")
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { schema.add("required") { $0.strings(required) } }
        if !choice.isEmpty {
            schema.add("oneOf") { writer in
                writer.list(choice) { writer, name in
                    writer.object { $0.array("required", [name]) }
                }
            }
        }
        guard !members.isEmpty else { return schema }
        schema.add("properties") { writer in
            writer.object { writer in
                for member in members {
                    writer.comma()
                    writer.string(member.name)
                    writer.literal(":")
                    member.described.append(to: &writer)
                }
            }
        }
        return schema
    }

    /// A value that fits exactly one of these.
    static func oneOf(_ choices: [JSONSchema]) -> JSONSchema {
        if choices.count == 1 { return choices[0] }
        var schema = JSONSchema()
        schema.add("oneOf") { writer in writer.list(choices) { $1.append(to: &$0) } }
        return schema
    }

    /// A schema that stands under `components`.
    static func of(_ component: SchemaComponent) -> JSONSchema {
        var schema = JSONSchema()
        schema.add("$ref") { $0.string(component.path) }
        return schema
    }

    /// Whether it is one of arrays.
    var isList: Bool { words.contains { $0.name == "items" } }

    /// The same, or `null`.
    var orNull: JSONSchema {
        var null = JSONSchema()
        null.add("type") { $0.string("null") }
        return .oneOf([self, null])
    }

    /// The same object, or a string.
    var orText: JSONSchema {
        var schema = self
        if let type = words.firstIndex(where: { $0.name == "type" }) {
            schema.words[type].json = Array(#"["string","object"]"#.utf8)
        }
        return schema
    }

    /// The same object with no members but those that it names.
    var closed: JSONSchema { with("additionalProperties") { $0.bool(false) } }

    /// The same object, which has further members of all kinds.
    var open: JSONSchema { with("additionalProperties") { $0.bool(true) } }

    /// The same string in a form such as `date-time`.
    func formed(_ format: String) -> JSONSchema { with("format") { $0.string(format) } }

    /// The same string, if all of it matches a regular expression.
    func matching(_ pattern: String) -> JSONSchema {
        with("pattern") { $0.string("^\(pattern)$") }
    }

    /// The same with words for people.
    func described(_ text: String) -> JSONSchema {
        text.isEmpty ? self : with("description") { $0.string(text) }
    }

    /// The same string as lines of JSON.
    func lines(of line: JSONSchema) -> JSONSchema {
        with("contentMediaType") { $0.string("application/x-ndjson") }
            .with("contentSchema") { JSONSchema.list(of: line).append(to: &$0) }
    }

    private func with(_ name: String, _ write: (inout JSONWriter) -> Void) -> JSONSchema {
        var schema = self
        schema.add(name, write)
        return schema
    }

    private mutating func add(_ name: String, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        words.append((name, writer.bytes))
    }

    /// Writes it as JSON.
    func append(to writer: inout JSONWriter) {
        guard !words.isEmpty else { return writer.bool(true) }
        writer.object { writer in
            for word in words {
                writer.comma()
                writer.string(word.name)
                writer.literal(":")
                writer.raw(word.json)
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func strings(_ strings: [String]) { list(strings) { $0.string($1) } }

    fileprivate mutating func list<Element>(
        _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        literal("[")
        for element in elements {
            comma()
            write(&self, element)
        }
        literal("]")
    }
}
