extension JSONValue: Codable {
    /// Any value, by any coder; through ``JSONCoding`` members keep their order.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? NodeDecoder {
            self = decoder.whole()
            // Another coder can't be asked for its kind; it throws for the wrong one.
        } else if let object = try? JSONObject(from: decoder) {
            self = .object(object)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
        } else {
            self = try JSONValue(scalar: decoder.singleValueContainer())
        }
    }

    /// A value without contents: the coder is asked for one kind after the other, and throws for
    /// the wrong ones.
    private init(scalar container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// The value, by any coder; through ``JSONCoding`` members keep their order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let encoder = encoder as? NodeEncoder {
            try encoder.state.beginScalar(encoder.depth)
            return try encoder.state.write(self)
        }
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONObject: Codable {
    /// The members, in the coder's order.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PathStep.self)
        if let decoder = decoder as? NodeDecoder, let object = decoder.whole().object {
            self = object
            return
        }
        self.init()
        for key in container.allKeys {
            self[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
    }

    /// The members, in their order if the coder keeps it.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? NodeEncoder {
            try encoder.state.beginScalar(encoder.depth)
            return try encoder.state.write(.object(self))
        }
        var container = encoder.container(keyedBy: PathStep.self)
        for member in members {
            try container.encode(member.value, forKey: .name(member.name))
        }
    }
}

extension NodeDecoder {
    /// The whole value; of a case's values, an object without the name of the case.
    fileprivate func whole() -> JSONValue {
        state.notes?.whole.insert(node)
        let value = state.document.value(node)
        guard form == .values else { return value }
        guard case .object(var object) = value else { return [:] }
        object[EnumLabels.type] = nil
        return .object(object)
    }
}
