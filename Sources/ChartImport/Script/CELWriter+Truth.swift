/// ToBoolean of ECMAScript: nothing, `false`, `0`, NaN and the empty text are false.
extension CELWriter {
    private static let falseValues = "[null, false, 0, '']"

    /// Writes a condition.
    mutating func truth(_ expression: ScriptExpression) throws(ScriptFault) -> CELText {
        try condition(expression, isNegated: false)
    }

    /// Writes a condition, or its opposite.
    mutating func condition(
        _ expression: ScriptExpression, isNegated: Bool
    ) throws(ScriptFault) -> CELText {
        switch expression.node {
        case .null, .undefined: return constant(isNegated)
        case .bool(let value): return constant(value != isNegated)
        case .number(let value): return constant((value != 0) != isNegated)
        case .string(let text): return constant(text.isEmpty == isNegated)
        case .unary("!", let operand): return try condition(operand, isNegated: !isNegated)
        case .binary("&&", let left, let right): return try both("&&", left, right, isNegated)
        case .binary("||", let left, let right): return try both("||", left, right, isNegated)
        case .binary(let sign, let left, let right) where Self.opposites[sign] != nil:
            let sign = isNegated ? Self.opposites[sign] ?? sign : sign
            return try equality(sign, left, right, expression.index)
        case .conditional(let condition, let one, let other) where !isNegated:
            let test = try truth(condition).within(.or)
            let (yes, no) = (try truth(one), try truth(other))
            return CELText(
                text: "\(test) ? \(yes.within(.or)) : \(no.within(.conditional))",
                binding: .conditional, kind: .bool)
        default: break
        }
        return truth(try lenient(expression), isNegated)
    }

    /// Writes an expression of any type; a member that isn't there is null.
    mutating func lenient(_ expression: ScriptExpression) throws(ScriptFault) -> CELText {
        if let text = try optional(expression) { return CELText(text: "\(text).orValue(null)") }
        return try value(expression)
    }

    private static let opposites = ["==": "!=", "!=": "==", "===": "!==", "!==": "==="]

    private func constant(_ value: Bool) -> CELText {
        CELText(text: value ? "true" : "false", kind: .bool)
    }

    private mutating func both(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression, _ isNegated: Bool
    ) throws(ScriptFault) -> CELText {
        // `!(a && b)` is `!a || !b`.
        let isOr = (sign == "||") != isNegated
        let binding: CELText.Binding = isOr ? .or : .and
        let one = try condition(left, isNegated: isNegated).within(binding)
        let other = try condition(right, isNegated: isNegated).within(binding)
        return CELText(
            text: "\(one) \(isOr ? "||" : "&&") \(other)", binding: binding, kind: .bool)
    }

    /// The truth of a value that is written already.
    func truth(_ value: CELText, _ isNegated: Bool = false) -> CELText {
        func relation(_ text: String) -> CELText {
            CELText(text: text, binding: .relation, kind: .bool)
        }
        switch value.kind {
        case .bool:
            guard isNegated else { return value }
            return CELText(text: "!\(value.within(.unary))", binding: .unary, kind: .bool)
        case .nothing: return constant(isNegated)
        case .list, .map: return constant(!isNegated)
        case .string: return relation("\(value.within(.sum)) \(isNegated ? "==" : "!=") ''")
        case .number where value.binding != .operand || !value.text.hasPrefix("context."):
            // It may be NaN, which equals nothing.
            let text = relation("math.abs(\(value.text)) > 0")
            return isNegated ? truth(text, true) : text
        case .integer, .number:
            return relation("\(value.within(.sum)) \(isNegated ? "==" : "!=") 0")
        case .unknown:
            let text = "\(value.within(.sum)) in \(Self.falseValues)"
            if isNegated { return relation(text) }
            return CELText(text: "!(\(text))", binding: .unary, kind: .bool)
        }
    }

    /// `&&` and `||`, which give one of their operands.
    mutating func choice(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        // `(a || b) || c` is `a || (b || c)`, in which no operand is repeated again and again.
        if case .binary(sign, let first, let second) = left.node {
            let rest = ScriptExpression(node: .binary(sign, second, right), index: left.index)
            return try choice(sign, first, rest)
        }
        let one = try lenient(left)
        let other = try value(right)
        if one.kind == .bool, other.kind == .bool {
            let binding: CELText.Binding = sign == "||" ? .or : .and
            return CELText(
                text: "\(one.within(binding)) \(sign) \(other.within(binding))",
                binding: binding, kind: .bool)
        }
        let test = try truth(left).within(.or)
        let (yes, no) = sign == "||" ? (one, other) : (other, one)
        return CELText(
            text: "\(test) ? \(yes.within(.or)) : \(no.within(.conditional))",
            binding: .conditional, kind: one.kind.joined(with: other.kind))
    }
}
