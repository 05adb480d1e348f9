extension TypeChecker {
    /// The type of a selection that is no qualified name.
    mutating func select(
        _ operand: Expression, _ selection: Expression.Selection, _ offset: Int
    ) -> CELType {
        let operandType = type(of: operand)
        let target = types.head(operandType)
        let found: CELType
        switch selection.style {
        case .plain: found = member(selection.field, of: target, offset)
        case .test:
            // Whether a member is there may be asked of any name.
            if case .object = target { return .bool }
            _ = member(selection.field, of: target, offset)
            return .bool
        case .optional: found = member(selection.field, of: target, offset)
        }
        return selection.style == .optional ? optional(found, of: target) : found
    }

    /// An optional of a member: that of an optional value is one already.
    private func optional(_ type: CELType, of target: CELType) -> CELType {
        if case .optional = target { return type }
        return .optional(type)
    }

    private mutating func member(
        _ name: String, of target: CELType, _ offset: Int
    ) -> CELType {
        switch target {
        case .dyn, .variable: return .dyn
        case .map(let key, let value):
            guard types.unify(.string, key) else {
                return report("the keys are \(shown(key)): use [\u{2026}] for them", offset)
            }
            return value
        case .object(let members):
            return members[name]
                ?? unknown("member '\(name)'", name, among: members.keys, offset)
        case .optional(let value):
            return .optional(member(name, of: types.head(value), offset))
        default: return report("\(shown(target)) has no members", offset)
        }
    }

    /// The type of `operand[index]`.
    mutating func index(
        _ operand: Expression, _ index: Expression, _ isOptional: Bool, _ offset: Int
    ) -> CELType {
        let operandType = type(of: operand)
        let target = types.head(operandType)
        let position = type(of: index)
        if case .optional(let value) = target {
            return .optional(element(types.head(value), position, index, offset))
        }
        let found = element(target, position, index, offset)
        return isOptional ? .optional(found) : found
    }

    private mutating func element(
        _ target: CELType, _ position: CELType, _ index: Expression, _ offset: Int
    ) -> CELType {
        if case .object(let members) = target {
            guard types.unify(.string, position) else {
                return report("the keys are string, and this is \(shown(position))", offset)
            }
            guard case .literal(.string(let name)) = index.kind else { return .dyn }
            return members[name]
                ?? unknown("member '\(name)'", name, among: members.keys, offset)
        }
        if case .variable = target { return .dyn }
        return call("[]", OperatorTable.index, [target, position], offset)
    }

    /// The type of a list's literal.
    mutating func list(_ elements: [Expression.Element]) -> CELType {
        var common: CELType?
        for element in elements {
            let found = type(of: element)
            common = common.map { types.join($0, found) } ?? found
        }
        return .list(common ?? types.fresh())
    }

    /// The type of a map's literal.
    mutating func map(_ entries: [Expression.Entry]) -> CELType {
        var keys: CELType?
        var values: CELType?
        for entry in entries {
            var key = type(of: entry.key)
            switch types.head(key) {
            case .bool, .int, .uint, .string, .dyn, .variable: break
            case let other: key = report("\(shown(other)) can't be a key", entry.key.offset)
            }
            let value = type(of: entry.value)
            keys = keys.map { types.join($0, key) } ?? key
            values = values.map { types.join($0, value) } ?? value
        }
        return .map(keys ?? types.fresh(), values ?? types.fresh())
    }

    private mutating func type(of element: Expression.Element) -> CELType {
        let found = type(of: element.value)
        guard element.isOptional else { return found }
        let value = types.fresh()
        if !types.unify(.optional(value), found) {
            return report(
                "'?' needs an optional value, and this is \(shown(found))", element.value.offset)
        }
        // A `dyn` may be an optional of anything.
        return types.head(found) == .dyn ? .dyn : value
    }
}
