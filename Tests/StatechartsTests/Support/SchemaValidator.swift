import OrderedJSON

/// The part of JSON Schema that `Config/machine.schema.json` uses.
struct SchemaValidator {
    private let root: JSONValue

    init(_ root: JSONValue) { self.root = root }

    /// The words of the schema that this validator knows.
    static let words: Set<String> = [
        "$schema", "$defs", "title", "description", "$ref", "anyOf", "type", "enum", "required",
        "properties", "additionalProperties", "items", "minProperties", "maxProperties",
        "minLength", "minimum", "pattern",
    ]

    /// Whether a value fits the schema.
    func accepts(_ value: JSONValue) -> Bool { fits(value, root) }

    /// The definition of a name within `$defs`.
    func definition(_ name: String) -> JSONValue? { root["$defs"]?[name] }

    private func fits(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        if let isAllowed = schema.bool { return isAllowed }
        if let reference = schema["$ref"]?.string {
            let name = String(reference.dropFirst("#/$defs/".count))
            guard let found = definition(name), fits(value, found) else { return false }
        }
        if let choices = schema["anyOf"]?.array, !choices.contains(where: { fits(value, $0) }) {
            return false
        }
        if let choices = schema["enum"]?.array, !choices.contains(value) { return false }
        if let type = schema["type"]?.string, !isA(value, type) { return false }
        switch value {
        case .string(let text): return fits(text, schema)
        case .integer, .double:
            return (value.double ?? 0) >= (schema["minimum"]?.double ?? -.infinity)
        case .array(let elements):
            return schema["items"].map { items in elements.allSatisfy { fits($0, items) } } ?? true
        case .object(let object): return fits(object, schema)
        default: return true
        }
    }

    private func fits(_ text: String, _ schema: JSONValue) -> Bool {
        if let least = schema["minLength"]?.integer, text.count < least { return false }
        guard let pattern = schema["pattern"]?.string else { return true }
        guard let regex = try? Regex(pattern) else { return false }
        return text.wholeMatch(of: regex) != nil
    }

    private func fits(_ object: JSONObject, _ schema: JSONValue) -> Bool {
        if let least = schema["minProperties"]?.integer, object.count < least { return false }
        if let most = schema["maxProperties"]?.integer, object.count > most { return false }
        for name in schema["required"]?.array ?? [] where object[name.string ?? ""] == nil {
            return false
        }
        for member in object {
            let inner = schema["properties"]?[member.name] ?? schema["additionalProperties"]
            if let inner, !fits(member.value, inner) { return false }
        }
        return true
    }

    private func isA(_ value: JSONValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.object, "object"), (.array, "array"), (.string, "string"), (.bool, "boolean"),
            (.integer, "integer"), (.integer, "number"), (.double, "number"):
            true
        default: false
        }
    }

    /// The words that a schema uses anywhere.
    static func words(of schema: JSONValue) -> Set<String> {
        guard let object = schema.object else { return [] }
        var found: Set<String> = []
        for member in object {
            found.insert(member.name)
            switch member.name {
            case "properties", "$defs":
                for inner in member.value.object ?? JSONObject() {
                    found.formUnion(words(of: inner.value))
                }
            case "anyOf":
                for inner in member.value.array ?? [] { found.formUnion(words(of: inner)) }
            case "items", "additionalProperties": found.formUnion(words(of: member.value))
            default: break
            }
        }
        return found
    }
}
