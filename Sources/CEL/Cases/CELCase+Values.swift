import OrderedJSON

extension CELType {
    /// A type in the form of tests.
    init(caseType json: JSONValue) throws(CELCaseFault) {
        if let element = json["list"] {
            self = .list(try CELType(caseType: element))
        } else if let pair = json["map"] {
            guard let key = pair[0], let value = pair[1] else { throw CELCaseFault("type", json) }
            self = .map(try CELType(caseType: key), try CELType(caseType: value))
        } else {
            guard let name = json.string, let type = Self.caseTypes[name] else {
                throw CELCaseFault("type", json)
            }
            self = type
        }
    }

    private static let caseTypes: [String: CELType] = [
        "int": .int, "uint": .uint, "double": .double, "string": .string, "bytes": .bytes,
        "bool": .bool, "null_type": .null, "dyn": .dyn, "type": .type,
        "timestamp": .timestamp, "google.protobuf.Timestamp": .timestamp,
        "duration": .duration, "google.protobuf.Duration": .duration,
        "list": .list(.dyn), "map": .map(.dyn, .dyn), "optional_type": .optional(.dyn),
    ]
}

extension CELValue {
    /// A value in the form of tests: an object whose only member names the type.
    init(caseValue json: JSONValue) throws(CELCaseFault) {
        guard let members = json.object?.members, members.count == 1, let member = members.first,
            let value = try Self.caseValue(member.value, named: member.name)
        else { throw CELCaseFault("value", json) }
        self = value
    }

    private static func caseValue(
        _ json: JSONValue, named type: String
    ) throws(CELCaseFault) -> CELValue? {
        switch type {
        case "null": return .null
        case "bool": return json.bool.map(CELValue.bool)
        case "list":
            guard let elements = json.array else { return nil }
            var list: [CELValue] = []
            for element in elements { list.append(try CELValue(caseValue: element)) }
            return .list(list)
        case "map": return try caseMap(json)
        case "type": return .type(try CELType(caseType: json))
        default: return json.string.flatMap { scalar($0, named: type) }
        }
    }

    private static func scalar(_ text: String, named type: String) -> CELValue? {
        switch type {
        case "int": Int64(text).map(CELValue.int)
        case "uint": UInt64(text).map(CELValue.uint)
        case "double": Double(text).map(CELValue.double)
        case "string": .string(text)
        case "bytes": Base64Text.decode(text).map(CELValue.bytes)
        case "timestamp": CELTimestamp(text).map(CELValue.timestamp)
        case "duration": CELDuration(text).map(CELValue.duration)
        default: nil
        }
    }

    private static func caseMap(_ json: JSONValue) throws(CELCaseFault) -> CELValue? {
        guard let pairs = json.array else { return nil }
        var map = CELMap()
        for pair in pairs {
            guard let first = pair[0], let second = pair[1],
                let key = CELKey(try CELValue(caseValue: first))
            else { return nil }
            map[key] = try CELValue(caseValue: second)
        }
        return .map(map)
    }

    /// Whether types and values are the same at every level, and NaN is itself.
    func isIdentical(to other: CELValue) -> Bool {
        switch (self, other) {
        case (.double(let left), .double(let right)):
            return left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
        case (.list(let left), .list(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
        case (.map(let left), .map(let right)):
            return left.count == right.count
                && left.entries.allSatisfy { entry in
                    right.entries.contains {
                        $0.key.value.isIdentical(to: entry.key.value)
                            && $0.value.isIdentical(to: entry.value)
                    }
                }
        case (.optional(let left?), .optional(let right?)): return left.isIdentical(to: right)
        default: return type.name == other.type.name && self == other
        }
    }
}
