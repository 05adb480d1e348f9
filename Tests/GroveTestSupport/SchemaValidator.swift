import OrderedJSON

/// The part of JSON Schema 2020-12 that `Config/machine.schema.json` and the description of the
/// API use.
package struct SchemaValidator {
    private let root: JSONValue
    /// Whether an object has only members that its schema names. A schema that names none, or says
    /// what further members are like, is left as it is.
    package let isStrict: Bool
    private let patterns = Patterns()

    /// The patterns that were read: reading one takes longer than to match it.
    private final class Patterns {
        private var known: [String: Regex<AnyRegexOutput>] = [:]

        /// Whether a text matches; a pattern that can't be read matches nothing.
        func match(_ pattern: String, _ text: String) -> Bool {
            if let regex = known[pattern] { return text.firstMatch(of: regex) != nil }
            guard let regex = try? Regex(pattern) else { return false }
            known[pattern] = regex
            return text.firstMatch(of: regex) != nil
        }
    }

    /// - Parameter root: The document in which references point, and its schema unless another one
    ///   is given.
    package init(_ root: JSONValue, isStrict: Bool = false) {
        self.root = root
        self.isStrict = isStrict
    }

    /// The words that this validator knows. Those of the second line only say something to people.
    package static let words: Set<String> = [
        "$schema", "$defs", "title", "description", "contentMediaType", "contentSchema",
        "$ref", "anyOf", "oneOf", "not", "type", "enum", "const", "required", "properties",
        "additionalProperties", "items", "minItems", "maxItems", "minProperties", "maxProperties",
        "minLength", "maxLength", "minimum", "maximum", "pattern", "format",
    ]

    /// Whether a value fits a schema.
    package struct Outcome {
        /// Why it doesn't fit, and where in the value.
        package var problem: String?
        /// The places in the document of the members that it has, such as
        /// `#/components/schemas/Step/properties/v`.
        package var seen: Set<String> = []
    }

    /// Whether a value fits the document itself.
    package func accepts(_ value: JSONValue) -> Bool { outcome(of: value, at: "#").problem == nil }

    /// Holds a value against the schema at a place of the document, such as `#/$defs/state`.
    package func outcome(of value: JSONValue, at place: String) -> Outcome {
        guard let schema = self[place] else { return Outcome(problem: "no schema at \(place)") }
        return Check(validator: self, value: value, path: "$").outcome(schema, place)
    }

    /// The part of the document at a place; `nil` if there is none.
    package subscript(place: String) -> JSONValue? {
        place.split(separator: "/").dropFirst().reduce(Optional(root)) { value, word in
            let name = word.replacing("~1", with: "/").replacing("~0", with: "~")
            return value?[String(name)] ?? Int(name).flatMap { value?[$0] }
        }
    }

    /// A definition within `$defs`.
    package func definition(_ name: String) -> JSONValue? { root["$defs"]?[name] }

    /// The words that a schema uses anywhere.
    package static func words(of schema: JSONValue) -> Set<String> {
        guard let object = schema.object else { return [] }
        var found: Set<String> = []
        for member in object {
            found.insert(member.name)
            switch member.name {
            case "properties", "$defs":
                for inner in member.value.object ?? JSONObject() {
                    found.formUnion(words(of: inner.value))
                }
            case "anyOf", "oneOf":
                for inner in member.value.array ?? [] { found.formUnion(words(of: inner)) }
            case "items", "additionalProperties", "contentSchema", "not":
                found.formUnion(words(of: member.value))
            default: break
            }
        }
        return found
    }
}

extension SchemaValidator {
    /// One value, and where it stands.
    private struct Check {
        let validator: SchemaValidator
        let value: JSONValue
        let path: String

        func outcome(_ schema: JSONValue, _ place: String) -> Outcome {
            if let isAllowed = schema.bool {
                return isAllowed ? Outcome() : wrong("nothing may stand here")
            }
            var outcome = Outcome(problem: plainProblem(schema).map { "\(path): \($0)" })
            if let reference = schema["$ref"]?.string {
                outcome.merge(
                    validator[reference].map { self.outcome($0, reference) }
                        ?? wrong("nothing is at \(reference)"))
            }
            if let other = schema["not"], self.outcome(other, place).problem == nil {
                outcome.merge(wrong("nothing may stand here"))
            }
            for (word, most) in [("anyOf", Int.max), ("oneOf", 1)] {
                guard let choices = schema[word]?.array else { continue }
                outcome.merge(choice(choices, "\(place)/\(word)", most))
            }
            switch value {
            case .array(let elements):
                guard let items = schema["items"] else { break }
                for (index, element) in elements.enumerated() {
                    outcome.merge(inner(element, "[\(index)]").outcome(items, place + "/items"))
                }
            case .object(let object): outcome.merge(members(object, schema, place))
            case .null, .bool, .integer, .double, .string: break
            }
            return outcome
        }

        private func inner(_ value: JSONValue, _ step: String) -> Check {
            Check(validator: validator, value: value, path: path + step)
        }

        private func wrong(_ problem: String) -> Outcome { Outcome(problem: "\(path): \(problem)") }

        private func choice(_ choices: [JSONValue], _ place: String, _ most: Int) -> Outcome {
            let outcomes = choices.enumerated().map { outcome($1, "\(place)/\($0)") }
            let fitting = outcomes.filter { $0.problem == nil }
            if fitting.isEmpty {
                let reasons = outcomes.compactMap(\.problem).joined(separator: "; ")
                return wrong("it is none of these: \(reasons)")
            }
            guard fitting.count <= most else { return wrong("it is more than one of these") }
            return fitting.reduce(into: Outcome()) { $0.merge($1) }
        }

        private func members(
            _ object: JSONObject, _ schema: JSONValue, _ place: String
        ) -> Outcome {
            var outcome = Outcome()
            for name in schema["required"]?.array ?? [] where object[name.string ?? ""] == nil {
                outcome.merge(wrong("\(name.string ?? "") is missing"))
            }
            let isClosed = validator.isStrict && schema["properties"] != nil
            for member in object {
                let check = inner(member.value, ".\(member.name)")
                if let named = schema["properties"]?[member.name] {
                    let named = check.outcome(named, "\(place)/properties/\(member.name)")
                    outcome.merge(named)
                    outcome.seen.insert("\(place)/properties/\(member.name)")
                } else if let others = schema["additionalProperties"] {
                    outcome.merge(check.outcome(others, place + "/additionalProperties"))
                } else if isClosed {
                    outcome.merge(check.wrong("the schema has no such member"))
                }
            }
            return outcome
        }

        /// What is wrong by the words that look at the value alone.
        private func plainProblem(_ schema: JSONValue) -> String? {
            if let type = schema["type"] {
                let types = type.array?.compactMap(\.string) ?? [type.string ?? ""]
                guard types.contains(where: isA) else {
                    return "it is no \(types.joined(separator: " and no "))"
                }
            }
            if let choices = schema["enum"]?.array, !choices.contains(value) {
                return "it isn't in the list"
            }
            if let only = schema["const"], value != only { return "it is another value" }
            return switch value {
            case .string(let text): problem(text, schema)
            case .integer, .double:
                isWithin(value.double ?? 0, schema, "minimum", "maximum")
                    ? nil : "it is out of bounds"
            case .array(let elements):
                isWithin(Double(elements.count), schema, "minItems", "maxItems")
                    ? nil : "it has too few or too many elements"
            case .object(let object):
                isWithin(Double(object.count), schema, "minProperties", "maxProperties")
                    ? nil : "it has too few or too many members"
            case .null, .bool: nil
            }
        }

        private func problem(_ text: String, _ schema: JSONValue) -> String? {
            let count = Double(text.unicodeScalars.count)
            guard isWithin(count, schema, "minLength", "maxLength") else {
                return "it is too short or too long"
            }
            let formats = [
                "date-time": #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"#,
                "date": #"^\d{4}-\d\d-\d\d$"#,
            ]
            let patterns = [
                schema["pattern"]?.string, schema["format"]?.string.flatMap { formats[$0] },
            ]
            for case let pattern? in patterns {
                guard validator.patterns.match(pattern, text) else {
                    return "it doesn't match \(pattern)"
                }
            }
            return nil
        }

        private func isWithin(
            _ number: Double, _ schema: JSONValue, _ least: String, _ most: String
        ) -> Bool {
            number >= (schema[least]?.double ?? -.infinity)
                && number <= (schema[most]?.double ?? .infinity)
        }

        private func isA(_ type: String) -> Bool {
            switch (value, type) {
            case (.object, "object"), (.array, "array"), (.string, "string"), (.bool, "boolean"),
                (.integer, "integer"), (.integer, "number"), (.double, "number"), (.null, "null"):
                true
            default: false
            }
        }
    }
}

extension SchemaValidator.Outcome {
    /// Adds what another word says about the same value.
    fileprivate mutating func merge(_ other: SchemaValidator.Outcome) {
        problem = problem ?? other.problem
        seen.formUnion(other.seen)
    }
}
