import CEL
public import OrderedJSON

// Examples of a chart's events, made from their declarations.
extension Chart {
    /// Examples of all events that the chart's transitions name, or that it declares, in the order
    /// of the definition.
    public var eventSamples: [JSONValue] { eventTypes.flatMap { samples(ofEvent: $0) } }

    /// Examples of an event: those of its declaration, or else made from the types and bounds in
    /// it; the type alone, if it isn't declared, or if its declaration or all of its examples are
    /// too large (``ChartLimits/sampleBytesMax``).
    ///
    /// - Returns: At least one, at most ``ChartLimits/samplesMax``, each an object with `type`.
    public func samples(ofEvent type: String) -> [JSONValue] {
        let alone: [JSONValue] = [["type": .string(type)]]
        guard let schema = events[type]?.object else { return alone }
        let given = (schema["examples"]?.array ?? []).prefix(ChartLimits.samplesMax)
            .compactMap(\.object)
        guard !given.isEmpty || JSONValue.object(schema).isSmall else { return alone }
        let payloads = given.isEmpty ? EventSamples.objects(of: schema) : given
        let events = payloads.filter { JSONValue.object($0).isSmall }.map { payload in
            var event: JSONObject = ["type": .string(type)]
            for member in payload where member.name != "type" {
                event[member.name] = member.value
            }
            return JSONValue.object(event)
        }
        return events.isEmpty ? alone : Array(events.prefix(ChartLimits.samplesMax))
    }
}

extension JSONValue {
    /// Whether its text has at most about ``ChartLimits/sampleBytesMax`` bytes. Looks at no more
    /// than that: lists within lists can be much larger than the schema they are made from.
    fileprivate var isSmall: Bool {
        var room = ChartLimits.sampleBytesMax
        return takeRoom(&room)
    }

    /// The recursion is as deep as a definition may be.
    private func takeRoom(_ room: inout Int) -> Bool {
        room -= 2
        switch self {
        case .string(let text): room -= text.utf8.count
        case .array(let elements):
            for element in elements where !element.takeRoom(&room) { return false }
        case .object(let members):
            for member in members {
                room -= member.name.utf8.count + 2
                guard member.value.takeRoom(&room) else { return false }
            }
        default: break
        }
        return room >= 0
    }
}

/// Examples of values of a JSON Schema. The recursion goes down the schema, which is as deep as a
/// definition may be.
private enum EventSamples {
    /// Objects with all declared members: one that has the first example of each, then one for each
    /// further example of a member; and one without the members that aren't required.
    static func objects(of schema: JSONObject) -> [JSONObject] {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let properties = (schema["properties"]?.object ?? JSONObject()).members.filter {
            $0.name != "type"
        }
        let choices = properties.map { (name: $0.name, values: values(of: $0.value)) }
        var first = JSONObject()
        for choice in choices { first[choice.name] = choice.values.first }
        var result = [first]
        for choice in choices where result.count < ChartLimits.samplesMax {
            for value in choice.values.dropFirst() {
                var other = first
                other[choice.name] = value
                result.append(other)
            }
        }
        if choices.contains(where: { !required.contains($0.name) }) {
            var least = JSONObject()
            for member in first where required.contains(member.name) {
                least[member.name] = member.value
            }
            result.append(least)
        }
        return Array(result.prefix(ChartLimits.samplesMax))
    }

    private static func values(of json: JSONValue) -> [JSONValue] {
        guard let schema = json.object else { return [.null] }
        if let constant = schema["const"] { return [constant] }
        if let choice = schema["enum"]?.array { return few(choice) }
        if let examples = schema["examples"]?.array, !examples.isEmpty {
            return few(examples)
        }
        if let standard = schema["default"] { return [standard] }
        switch schema["type"]?.array?.first?.string ?? schema["type"]?.string {
        case "integer": return numbers(schema).map { .integer($0) }
        case "number": return numbers(schema).map { .double(Double($0)) }
        case "boolean": return [true, false]
        case "string":
            let count = max(1, schema["minLength"]?.integer ?? 1)
            let bytes = repeatElement(UInt8(ascii: "a"), count: Int(min(count, 4_096)))
            return [.string(String(decoding: bytes, as: UTF8.self))]
        case "array":
            let count = min(schema["minItems"]?.integer ?? 1, 64)
            let items = schema["items"].map { values(of: $0) } ?? [.null]
            // Nothing is one of an empty 'enum'.
            guard let item = items.first else { return [[]] }
            return [.array(Array(repeating: item, count: Int(max(0, count))))]
        case "object": return few(objects(of: schema).map { .object($0) })
        default: return [.null]
        }
    }

    private static func few(_ values: [JSONValue]) -> [JSONValue] {
        Array(values.prefix(ChartLimits.sampleChoicesMax))
    }

    /// The least value, the next one, and the greatest one.
    private static func numbers(_ schema: JSONObject) -> [Int64] {
        func bound(_ name: String, _ exclusive: String, _ step: Double) -> Int64? {
            let value = schema[name]?.double ?? schema[exclusive]?.double.map { $0 + step }
            return value.flatMap { Int64(exactly: step > 0 ? $0.rounded(.up) : $0.rounded(.down)) }
        }
        let most = bound("maximum", "exclusiveMaximum", -1)
        let least = bound("minimum", "exclusiveMinimum", 1) ?? most.map { min(0, $0) } ?? 0
        var numbers = [least]
        if least < .max, most.map({ least < $0 }) ?? true { numbers.append(least + 1) }
        if let most, !numbers.contains(most) { numbers.append(most) }
        return numbers
    }
}
