import CEL
import OrderedJSON

/// The part of JSON Schema (draft 2020-12) in which events are declared.
struct EventSchema: Sendable {
    /// The words that restrict values.
    private static let words: Set<String> = [
        "type", "properties", "required", "additionalProperties", "items", "enum", "const",
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
        "minItems", "maxItems",
    ]
    /// The words for people.
    private static let notes: Set<String> = [
        "$schema", "$comment", "title", "description", "default", "examples", "deprecated",
        "readOnly", "writeOnly", "format",
    ]
    private static let types: Set<String> = [
        "object", "array", "string", "integer", "number", "boolean", "null",
    ]

    private let json: JSONObject

    init(_ json: JSONObject) { self.json = json }

    // MARK: Checking the schema

    /// Reports the faults of a schema; the recursion is bounded by the levels of a definition.
    static func check(_ json: JSONValue, _ path: JSONPath, _ report: (JSONPath, String) -> Void) {
        if json.bool != nil { return }
        guard let schema = json.object else {
            report(path, "a JSON Schema is an object, such as {\"type\":\"integer\"}")
            return
        }
        for member in schema {
            let place = path.member(member.name)
            guard !notes.contains(member.name) else { continue }
            guard words.contains(member.name) else {
                let hint = NearName.hint(member.name, among: words.sorted())
                report(place, "'\(member.name)' is no supported word of JSON Schema\(hint)")
                continue
            }
            check(member, place, report)
        }
    }

    private static func check(
        _ member: JSONObject.Member, _ path: JSONPath, _ report: (JSONPath, String) -> Void
    ) {
        switch member.name {
        case "type":
            let names = member.value.array ?? [member.value]
            if names.contains(where: { !types.contains($0.string ?? "") }) {
                report(path, "'type' is one of \(types.sorted().joined(separator: ", "))")
            }
        case "properties":
            guard let properties = member.value.object else {
                report(path, "'properties' is an object: a JSON Schema by name")
                return
            }
            for property in properties { check(property.value, path.member(property.name), report) }
        case "items", "additionalProperties": check(member.value, path, report)
        case "required":
            if member.value.array?.contains(where: { $0.string == nil }) ?? true {
                report(path, "'required' is a list of names")
            }
        case "enum":
            if member.value.array == nil { report(path, "'enum' is a list of values") }
        case "const": break
        case "minLength", "maxLength", "minItems", "maxItems":
            if (member.value.integer ?? -1) < 0 { report(path, "this is a count from 0") }
        default:
            if member.value.double == nil { report(path, "this is a number") }
        }
    }

    // MARK: Types

    /// Whether values may have members that aren't declared, as JSON Schema says by default.
    var isOpen: Bool { json["additionalProperties"] != false }

    /// The type that expressions can rely on. Of an object that may have other members, no member's
    /// type is known.
    var type: CELType {
        guard json["enum"] == nil, json["const"] == nil else { return .dyn }
        switch json["type"]?.string {
        case "string": return .string
        case "integer": return .int
        case "boolean": return .bool
        case "null": return .null
        case "array": return .list(json["items"]?.object.map { EventSchema($0).type } ?? .dyn)
        case "object":
            return isOpen ? .map(.string, .dyn) : .object(members)
        // A number may be an integer or a double.
        default: return .dyn
        }
    }

    /// The types of the declared members by name.
    private var members: [String: CELType] {
        var members: [String: CELType] = [:]
        for property in json["properties"]?.object ?? JSONObject() {
            members[property.name] = property.value.object.map { EventSchema($0).type } ?? .dyn
        }
        return members
    }

    /// The type of an event with this schema: the declared members and `type`.
    ///
    /// - Parameter names: Further members, of unknown types.
    func eventType(also names: Set<String> = []) -> CELType {
        guard json["properties"] != nil || !isOpen else { return .dyn }
        var members = members
        for name in names where members[name] == nil { members[name] = .dyn }
        members["type"] = .string
        return .object(members)
    }

    /// The members of `event` that an expression's text selects and the schema doesn't declare.
    func undeclared(in expression: String) -> Set<String> {
        var names: Set<String> = []
        var rest = expression[...]
        while let range = rest.firstRange(of: "event.") {
            rest = rest[range.upperBound...]
            let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            if name != "type", members[name] == nil { names.insert(name) }
        }
        return names
    }

    // MARK: Values

    /// What is wrong with an event: the path of the value, and one sentence; nil if it fits.
    func fault(of members: CELMap) -> (path: String, message: String)? {
        var rest = members
        if json["properties"]?["type"] == nil { rest["type"] = nil }
        return Self.fault(of: .map(rest), .object(json), JSONPath()).map { ($0.0.text, $0.1) }
    }

    private static func fault(
        of value: CELValue, _ schema: JSONValue, _ path: JSONPath
    ) -> (JSONPath, String)? {
        if let isAllowed = schema.bool { return isAllowed ? nil : (path, "no value is allowed") }
        guard let schema = schema.object else { return nil }
        if let type = schema["type"] {
            let names = (type.array ?? [type]).compactMap(\.string)
            if !names.contains(where: { value.isA($0) }) {
                return (path, "this must be \(names.joined(separator: " or "))")
            }
        }
        if let constant = schema["const"], CELValue(constant) != value {
            return (path, "this must be \(constant)")
        }
        if let choice = schema["enum"]?.array, !choice.contains(where: { CELValue($0) == value }) {
            return (path, "this must be one of \(JSONValue.array(choice))")
        }
        if let message = boundFault(of: value, schema) { return (path, message) }
        switch value {
        case .list(let elements):
            guard let items = schema["items"] else { return nil }
            for (index, element) in elements.enumerated() {
                if let found = fault(of: element, items, path.element(index)) { return found }
            }
            return nil
        case .map(let map): return fault(of: map, schema, path)
        default: return nil
        }
    }

    private static func fault(
        of map: CELMap, _ schema: JSONObject, _ path: JSONPath
    ) -> (JSONPath, String)? {
        for name in schema["required"]?.array ?? [] {
            if let name = name.string, map[name] == nil {
                return (path.member(name), "this is missing")
            }
        }
        let properties = schema["properties"]?.object
        for entry in map.entries {
            let name = ContextValue.text(of: entry.key)
            guard let schema = properties?[name] ?? schema["additionalProperties"] else { continue }
            if let found = fault(of: entry.value, schema, path.member(name)) { return found }
        }
        return nil
    }

    /// `this must be at least 1`, and with a noun `at least 2 characters are needed`.
    private static func bound(
        _ side: String, _ value: Double, _ noun: String, _ verb: String
    ) -> String {
        let number = NumberName.short(value)
        if noun.isEmpty { return "this must be \(side) \(number)" }
        return "\(side) \(number) \(noun)\(value == 1 ? " is" : "s are") \(verb)"
    }

    private static func boundFault(of value: CELValue, _ schema: JSONObject) -> String? {
        let size: (value: Double, least: String, most: String, noun: String)
        switch value {
        case .int(let number): size = (Double(number), "minimum", "maximum", "")
        case .double(let number): size = (number, "minimum", "maximum", "")
        case .string(let text):
            size = (Double(text.unicodeScalars.count), "minLength", "maxLength", "character")
        case .list(let elements):
            size = (Double(elements.count), "minItems", "maxItems", "element")
        default: return nil
        }
        if let least = schema[size.least]?.double, size.value < least {
            return bound("at least", least, size.noun, "needed")
        }
        if let most = schema[size.most]?.double, size.value > most {
            return bound("at most", most, size.noun, "allowed")
        }
        guard size.noun.isEmpty else { return nil }
        if let least = schema["exclusiveMinimum"]?.double, size.value <= least {
            return "this must be greater than \(NumberName.short(least))"
        }
        if let most = schema["exclusiveMaximum"]?.double, size.value >= most {
            return "this must be less than \(NumberName.short(most))"
        }
        return nil
    }
}

/// A number in a message: an integer without a fraction.
private enum NumberName {
    static func short(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}

extension CELValue {
    /// Whether a value has a type of JSON Schema.
    fileprivate func isA(_ type: String) -> Bool {
        switch (self, type) {
        case (.map, "object"), (.list, "array"), (.string, "string"), (.int, "integer"),
            (.int, "number"), (.double, "number"), (.bool, "boolean"), (.null, "null"):
            true
        case (.double(let value), "integer"): value.rounded() == value
        default: false
        }
    }
}
