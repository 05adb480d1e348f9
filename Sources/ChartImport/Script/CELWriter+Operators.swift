extension CELWriter {
    mutating func unary(
        _ sign: String, _ operand: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        switch sign {
        case "!": return try condition(operand, isNegated: true)
        case "-":
            let text = try number(operand, index)
            return CELText(
                text: "-\(text.within(.operand))", binding: .unary,
                kind: text.kind == .integer ? .integer : .number)
        case "+":
            let text = try number(operand, index)
            if text.kind.isNumber { return text }
            return CELText(text: "double(\(text.text))", kind: .number)
        case "void": return CELText(text: "null", kind: .nothing)
        default:
            throw unsupported(index, "'typeof' is only known in a comparison with a string")
        }
    }

    mutating func binary(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        switch sign {
        case "||", "&&": return try choice(sign, left, right)
        case "==", "===", "!=", "!==": return try equality(sign, left, right, index)
        case "<", "<=", ">", ">=": return try relation(sign, left, right, index)
        case "+": return try sum(left, right, index)
        case "[+]":
            let (one, other) = (try value(left), try value(right))
            return CELText(
                text: "\(one.within(.sum)) + \(other.within(.product))", binding: .sum,
                kind: .list)
        case "-": return try arithmetic("-", left, right, .sum, index)
        case "*": return try arithmetic("*", left, right, .product, index)
        case "%": return try remainder(left, right, index)
        case "/":
            // Integers of CEL have no fraction.
            let (one, other) = (try number(left, index), try number(right, index))
            return CELText(
                text: "double(\(one.text)) / \(other.within(.unary))", binding: .product,
                kind: .number)
        case "in": return try membership(left, right, index)
        default:
            guard right.name == "Array" else {
                throw unsupported(index, "'\(sign)' has no counterpart in CEL")
            }
            return isList(try value(left))
        }
    }

    func isList(_ text: CELText) -> CELText {
        CELText(text: "type(\(text.text)) == list", binding: .relation, kind: .bool)
    }

    // MARK: Numbers

    /// The number that a text of ECMAScript is; nil for none.
    static func number(ofText text: String) -> Double? {
        let plain = text.split(whereSeparator: \.isWhitespace)
        if plain.isEmpty { return 0 }
        guard plain.count == 1, let word = plain.first,
            word.utf8.allSatisfy({ 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) }),
            let number = Double(word), number.isFinite
        else { return nil }
        return number
    }

    /// Writes an operand of arithmetic (ToNumber of ECMAScript).
    mutating func number(
        _ expression: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        number(try value(expression), expression, index)
    }

    /// The same of an operand that is written already: writing it again for each level of a nested
    /// expression would double the work with each.
    mutating func number(
        _ text: CELText, _ expression: ScriptExpression, _ index: Int
    ) -> CELText {
        switch expression.node {
        case .null: return Self.number(0)
        case .undefined: return CELText(text: "double('NaN')", kind: .number)
        case .string(let text):
            if let number = Self.number(ofText: text) { return Self.number(number) }
            return CELText(text: "double('NaN')", kind: .number)
        default: break
        }
        switch text.kind {
        case .integer, .number: return text
        case .bool:
            return CELText(
                text: "\(text.within(.or)) ? 1 : 0", binding: .conditional, kind: .integer)
        case .string:
            note(index, "a text that is no number fails here, and isn't NaN")
            return CELText(text: "double(\(text.text))", kind: .number)
        case .nothing, .list, .map:
            note(index, "arithmetic with this value fails here")
            return text
        case .unknown:
            generalNote(index, "arithmetic fails here unless both values are there, and numbers")
            return text
        }
    }

    private mutating func arithmetic(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression,
        _ binding: CELText.Binding, _ index: Int
    ) throws(ScriptFault) -> CELText {
        let (one, other) = (try number(left, index), try number(right, index))
        let isInteger = one.kind == .integer && other.kind == .integer
        if let folded = Self.folded(sign, left, right) { return folded }
        if sign == "*", left.constant == nil, right.constant == nil {
            generalNote(
                index, "a product of integers beyond 2^63 fails here, and isn't rounded")
        }
        let tighter = CELText.Binding(rawValue: binding.rawValue + 1) ?? .operand
        return CELText(
            text: "\(one.within(binding)) \(sign) \(other.within(tighter))", binding: binding,
            kind: isInteger ? .integer : .number)
    }

    /// The result with two constants that would be beyond the integers of CEL.
    private static func folded(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression
    ) -> CELText? {
        guard case .number(let one) = left.node, case .number(let other) = right.node else {
            return nil
        }
        let result = sign == "*" ? one * other : one - other
        guard result.isFinite, abs(result) >= 9_007_199_254_740_992 else { return nil }
        return number(result)
    }

    /// `%`, which CEL has for integers only.
    private mutating func remainder(
        _ left: ScriptExpression, _ right: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        let (one, other) = (try number(left, index), try number(right, index))
        if case .number(let divisor) = right.node, divisor != 0, one.kind == .integer,
            other.kind == .integer
        {
            return CELText(
                text: "\(one.within(.product)) % \(other.text)", binding: .product,
                kind: .integer)
        }
        let quotient = "math.trunc(double(\(one.text)) / double(\(other.text)))"
        return CELText(
            text: "\(one.within(.sum)) - \(other.within(.product)) * \(quotient)",
            binding: .sum, kind: .number)
    }

    // MARK: Sums

    /// `+` of CEL joins strings only with strings.
    private mutating func sum(
        _ left: ScriptExpression, _ right: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        let one = try value(left)
        let other = try value(right)
        if case .string(let text) = left.node, ["#_scxml_", "#_"].contains(text) {
            // Addresses of sessions and of invoked machines.
            let name = other.kind == .string ? other.within(.product) : "string(\(other.text))"
            if text == "#_scxml_" { return CELText(text: name, kind: .string) }
            return CELText(text: "'child:' + \(name)", binding: .sum, kind: .string)
        }
        let isText = [one, other].contains { [.string, .list, .map].contains($0.kind) }
        if isText {
            let first = one.kind == .string ? one.within(.sum) : string(one, left)
            let second = other.kind == .string ? other.within(.product) : string(other, right)
            return CELText(text: "\(first) + \(second)", binding: .sum, kind: .string)
        }
        if one.kind == .unknown || other.kind == .unknown {
            generalNote(
                index, "'+' fails here unless both values are there, and numbers or texts")
            return CELText(
                text: "\(one.within(.sum)) + \(other.within(.product))", binding: .sum)
        }
        let (first, second) = (number(one, left, index), number(other, right, index))
        let isInteger = first.kind == .integer && second.kind == .integer
        return CELText(
            text: "\(first.within(.sum)) + \(second.within(.product))", binding: .sum,
            kind: isInteger ? .integer : .number)
    }

    /// A value as a text (ToString of ECMAScript).
    func stringText(_ text: CELText) -> String {
        switch text.kind {
        case .string: text.within(.product)
        case .bool, .integer: "string(\(text.text))"
        default: "'%s'.format([\(text.text)])"
        }
    }

    private mutating func string(_ text: CELText, _ expression: ScriptExpression) -> String {
        if case .undefined = expression.node { return "'undefined'" }
        return string(text, expression.index)
    }

    mutating func string(_ text: CELText, _ index: Int) -> String {
        switch text.kind {
        case .nothing where text.text == "null": return "'null'"
        case .list, .map: note(index, "a list or object as a text is written otherwise here")
        case .unknown:
            generalNote(
                index,
                "as a text, a list, an object and a value that isn't there are written otherwise "
                    + "here")
        default: break
        }
        return stringText(text)
    }

    // MARK: Membership

    private mutating func membership(
        _ left: ScriptExpression, _ right: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        if right.name == "_event", case .string(let name) = left.node {
            let isMember = Self.eventMembers.contains(name)
            return CELText(text: isMember ? "true" : "false", kind: .bool)
        }
        let key = try value(left)
        let object = right.isEventData ? eventObject : try value(right)
        let name = key.kind == .string ? key.within(.sum) : stringText(key)
        let inMap = "\(name) in \(object.within(.sum))"
        var inList = "\(key.within(.sum)) < size(\(object.text))"
        if Int(key.text).map({ $0 < 0 }) ?? true {
            inList = "\(key.within(.sum)) >= 0 && \(inList)"
        }
        switch (key.kind, object.kind) {
        case (.string, .map), (.integer, .map), (.number, .map):
            return CELText(text: inMap, binding: .relation, kind: .bool)
        case (.integer, .list):
            return CELText(text: inList, binding: .and, kind: .bool)
        case (.string, .unknown):
            if !right.isEventData {
                generalNote(index, "'in' looks for an element here if the value is a list")
            }
            return CELText(text: inMap, binding: .relation, kind: .bool)
        case (.integer, .unknown):
            return CELText(
                text: "type(\(object.text)) == list ? \(inList) : \(inMap)",
                binding: .conditional, kind: .bool)
        default:
            throw unsupported(index, "this use of 'in' has no counterpart in CEL")
        }
    }
}
