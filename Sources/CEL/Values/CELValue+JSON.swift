public import OrderedJSON

extension CELValue {
    /// A JSON value: integers are `int`, other numbers `double`, objects maps in their order.
    public init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array(let elements): self = .list(elements.map { CELValue($0) })
        case .object(let object):
            var map = CELMap()
            for member in object { map[CELKey(member.name)] = CELValue(member.value) }
            self = .map(map)
        }
    }

    /// The value as JSON: bytes as base64, times as text like `string(x)`, types as their names,
    /// keys as text, an optional as its value or `null`.
    ///
    /// A `uint` above `Int64.max` is a JSON double. Two keys of one text, such as `1` and `"1"`,
    /// are one member with the later value.
    ///
    /// - Returns: Nil if a number within is infinite or "not a number", which JSON doesn't have.
    public var json: JSONValue? {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .integer(value)
        case .uint(let value):
            return Int64(exactly: value).map(JSONValue.integer) ?? .double(Double(value))
        case .double(let value): return value.isFinite ? .double(value) : nil
        case .string(let value): return .string(value)
        case .bytes(let value): return .string(Base64Text.encode(value))
        case .list(let elements):
            var array: [JSONValue] = []
            array.reserveCapacity(elements.count)
            for element in elements {
                guard let json = element.json else { return nil }
                array.append(json)
            }
            return .array(array)
        case .map(let map): return Self.json(of: map)
        case .timestamp(let value): return .string(value.description)
        case .duration(let value): return .string(value.description)
        case .type(let value): return .string(value.name)
        case .optional(let value): return value.map(\.json) ?? .null
        }
    }

    private static func json(of map: CELMap) -> JSONValue? {
        var object = JSONObject()
        for entry in map.entries {
            guard let json = entry.value.json else { return nil }
            object[entry.key.text] = json
        }
        return .object(object)
    }
}

extension CELKey {
    /// The key as text: `1`, `true`, or the string itself.
    var text: String {
        switch kind {
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .uint(let value): "\(value)"
        case .string(let value): value
        }
    }

    /// The start of the text, for messages.
    var shown: String { String(text.unicodeScalars.prefix(100)) }
}
