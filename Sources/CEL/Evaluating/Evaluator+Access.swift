extension Evaluator {
    /// A member of a variable, without copying the variable.
    func variableField(_ node: Node) throws(EvaluationFailure) -> CELValue {
        guard Int(node.a) < values.count else { throw EvaluationFailure("a variable has no value") }
        if let found = values[Int(node.a)].member(keys[Int(node.b)]) { return found }
        return try field(keys[Int(node.b)], of: values[Int(node.a)])
    }

    /// A member of a map; of an optional map an optional.
    ///
    /// - Throws: ``EvaluationFailure`` if the member is missing, or the value has none.
    func field(_ key: CELKey, of target: CELValue) throws(EvaluationFailure) -> CELValue {
        switch target {
        case .map(let map):
            guard let found = map[key] else {
                throw EvaluationFailure("there is no member '\(key.shown)'")
            }
            return found
        case .optional: return try optionalField(key, of: target)
        default:
            throw EvaluationFailure(
                "\(target.type.name) has no members, such as '\(key.shown)'")
        }
    }

    func optionalField(
        _ key: CELKey, of target: CELValue
    ) throws(EvaluationFailure) -> CELValue {
        switch target {
        case .map(let map): return .optional(map[key])
        case .optional(nil): return target
        case .optional(let value?): return try optionalField(key, of: value)
        default:
            throw EvaluationFailure(
                "\(target.type.name) has no members, such as '\(key.shown)'")
        }
    }

    func hasField(_ key: CELKey, of target: CELValue) throws(EvaluationFailure) -> Bool {
        guard case .optional(let value) = try optionalField(key, of: target) else { return false }
        return value != nil
    }

    mutating func index(_ node: Node) throws(EvaluationFailure) -> CELValue {
        let target = try value(node.a)
        let position = try value(node.b)
        if case .optional(let value) = target {
            guard let value else { return target }
            return .optional(try element(position, of: value))
        }
        let found = try element(position, of: target)
        if node.opcode == .optionalIndex { return .optional(found) }
        guard let found else {
            switch target {
            case .list(let elements):
                throw EvaluationFailure(
                    "the index \(Self.shown(position)) is outside of a list of \(elements.count)")
            default: throw EvaluationFailure("there is no key \(Self.shown(position))")
            }
        }
        return found
    }

    /// A key or index for a message.
    private static func shown(_ value: CELValue) -> String {
        if case .double(let value) = value { return NumberText.short(value) }
        return CELKey(value)?.shown ?? value.type.name
    }

    /// The element at a position or key; nil if there is none.
    private mutating func element(
        _ position: CELValue, of target: CELValue
    ) throws(EvaluationFailure) -> CELValue? {
        switch target {
        case .list(let elements):
            guard let index = Self.listIndex(position) else {
                throw EvaluationFailure(
                    "the index of a list must be an integer, and is \(Self.shown(position))")
            }
            return elements.indices.contains(index) ? elements[index] : nil
        case .map(let map):
            if let key = try key(position) { return map[key] }
            guard case .double = position else {
                throw EvaluationFailure("\(position.type.name) can't be a key")
            }
            return nil
        default:
            throw EvaluationFailure("\(target.type.name) has no elements")
        }
    }

    private static func listIndex(_ position: CELValue) -> Int? {
        switch position {
        case .int(let value): Int(value)
        case .uint(let value): Int(exactly: value) ?? .max
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }

    mutating func contained(
        _ element: CELValue, in target: CELValue
    ) throws(EvaluationFailure) -> Bool {
        switch target {
        case .list(let elements):
            for candidate in elements {
                try budget.spend(steps: 1)
                if try candidate.isEqual(to: element, &budget) { return true }
            }
            return false
        case .map(let map):
            guard let key = try key(element) else { return false }
            return map[key] != nil
        default:
            throw EvaluationFailure("'in' needs a list or map, and this is \(target.type.name)")
        }
    }

    /// A value as a key, whose hash costs a step for each 64 bytes; nil if it can't be one.
    mutating func key(_ value: CELValue) throws(EvaluationFailure) -> CELKey? {
        if case .string(let text) = value { try budget.spend(work: text.utf8.count) }
        return CELKey(value)
    }
}

extension CELValue {
    /// A member of a map; nil if there is none, or this is no map.
    func member(_ key: CELKey) -> CELValue? {
        guard case .map(let map) = self else { return nil }
        return map[key]
    }
}
