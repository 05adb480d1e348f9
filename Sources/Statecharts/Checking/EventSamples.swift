import CEL
public import OrderedJSON

// Examples of a chart's events, made from their declarations.
extension Chart {
    /// Examples of all events that the chart's transitions name, or that it declares, in the order
    /// of the definition.
    public var eventSamples: [JSONValue] { eventTypes.flatMap { samples(ofEvent: $0) } }

    /// Examples of an event: those of its declaration, or else made from the types and bounds in
    /// it; the type alone, if it isn't declared.
    ///
    /// - Returns: At least one, at most ``ChartLimits/samplesMax``, each an object with `type`.
    public func samples(ofEvent type: String) -> [JSONValue] {
        guard let schema = events[type]?.object else { return [["type": .string(type)]] }
        let given = (schema["examples"]?.array ?? []).compactMap(\.object)
        let payloads = given.isEmpty ? EventSamples.objects(of: schema) : given
        let events = payloads.map { payload in
            var event: JSONObject = ["type": .string(type)]
            for member in payload where member.name != "type" {
                event[member.name] = member.value
            }
            return JSONValue.object(event)
        }
        return Array(events.prefix(ChartLimits.samplesMax))
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
        for choice in choices {
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
            return [.string(String(repeating: "a", count: Int(min(count, 4_096))))]
        case "array":
            let count = min(schema["minItems"]?.integer ?? 1, 64)
            let item = schema["items"].map { values(of: $0)[0] } ?? .null
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
