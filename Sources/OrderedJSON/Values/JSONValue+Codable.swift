extension JSONValue: Codable {
    /// Any value, by any coder; through ``JSONCoding`` members keep their order.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? NodeDecoder {
            self = decoder.state.document.value(decoder.node)
            // Another coder can't be asked what it holds; a refusal is its way of saying no.
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

    /// A value that holds no others: a coder is asked for one kind after the other, and refuses
    /// those that it isn't.
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
    /// The members, in the order in which the coder has them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PathKey.self)
        if let decoder = decoder as? NodeDecoder,
            let object = decoder.state.document.value(decoder.node).object
        {
            self = object
            return
        }
        self.init()
        for key in container.allKeys {
            self[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
    }

    /// The members, in their order as far as the coder keeps it.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? NodeEncoder {
            try encoder.state.beginScalar(encoder.depth)
            return try encoder.state.write(.object(self))
        }
        var container = encoder.container(keyedBy: PathKey.self)
        for member in members {
            try container.encode(member.value, forKey: PathKey(.name(member.name)))
        }
    }
}
