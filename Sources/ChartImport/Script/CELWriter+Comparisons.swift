extension CELWriter {
    // MARK: Order

    mutating func relation(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        var one = try comparedValue(left)
        var other = try comparedValue(right)
        let kinds = [one.kind, other.kind]
        if kinds == [.string, .string] {
            // Texts are compared as texts.
        } else if kinds.contains(.unknown) {
            generalNote(
                index,
                "'<' and the like fail here unless both values are there, and numbers or texts")
        } else {
            one = number(one, left, index)
            other = number(other, right, index)
        }
        return CELText(
            text: "\(one.within(.relation)) \(sign) \(other.within(.sum))", binding: .relation,
            kind: .bool)
    }

    /// A value that is compared with another one that is no object.
    private mutating func comparedValue(
        _ expression: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        expression.isEventData ? comparedEventData : try value(expression)
    }

    // MARK: Equality

    mutating func equality(
        _ sign: String, _ left: ScriptExpression, _ right: ScriptExpression, _ index: Int
    ) throws(ScriptFault) -> CELText {
        let isEqual = sign.hasPrefix("=")
        if let found = try test(left, right, isStrict: sign.count == 3) {
            return isEqual ? found : opposite(found)
        }
        let mark = isEqual ? "==" : "!="
        let one = try equalOperand(left)
        let other = try equalOperand(right)
        func plain(_ one: CELText, _ other: CELText) -> CELText {
            CELText(
                text: "\(one.within(.relation)) \(mark) \(other.within(.sum))",
                binding: .relation, kind: .bool)
        }
        if one.kind == other.kind || one.kind.isNumber && other.kind.isNumber {
            if one.kind == .list || one.kind == .map {
                note(index, "lists and objects are equal here if their members are")
            }
            if one.kind == .unknown { noteUnknown(index, isStrict: sign.count == 3) }
            return plain(one, other)
        }
        let isKnown = one.kind != .unknown && other.kind != .unknown
        if !isKnown, Self.isPlainText(left) || Self.isPlainText(right) { return plain(one, other) }
        if sign.count == 3 {
            // CEL refuses to compare constants of different types.
            return isKnown ? plain(CELText(text: "dyn(\(one.text))"), other) : plain(one, other)
        }
        if let found = loose(left, one, other, mark) ?? loose(right, other, one, mark) {
            return found
        }
        if isKnown { return converted(left, right, one, other, mark, index) }
        noteUnknown(index, isStrict: false)
        return plain(one, other)
    }

    private mutating func noteUnknown(_ index: Int, isStrict: Bool) {
        if isStrict { return }
        generalNote(index, "'==' compares as '===' here: the text '1' isn't the number 1")
    }

    /// A member that is missing is equal to nothing else, and no failure.
    private mutating func equalOperand(
        _ expression: ScriptExpression
    ) throws(ScriptFault) -> CELText {
        expression.isEventData ? comparedEventData : try lenient(expression)
    }

    private func opposite(_ text: CELText) -> CELText {
        let parts = text.text
        if text.binding == .unary, parts.hasPrefix("!") {
            return CELText(text: String(parts.dropFirst()), kind: .bool)
        }
        return CELText(text: "!\(text.within(.unary))", binding: .unary, kind: .bool)
    }

    /// Comparisons that ask for a type, for null or undefined, or for SCXML's processor.
    private mutating func test(
        _ left: ScriptExpression, _ right: ScriptExpression, isStrict: Bool
    ) throws(ScriptFault) -> CELText? {
        for (one, other) in [(left, right), (right, left)] {
            if case .unary("typeof", let operand) = one.node, case .string(let type) = other.node {
                return try typeTest(operand, type)
            }
            if other.isNothing {
                return try nothingTest(one, other, isStrict: isStrict)
            }
            if case .member(let object, "origintype") = one.node, object.name == "_event",
                case .string(let text) = other.node, Self.processors.contains(text)
            {
                return CELText(
                    text: "meta.via == 'machine'", binding: .relation, kind: .bool)
            }
        }
        return nil
    }

    /// Whether it is a constant text that is no number, so that it equals texts only.
    private static func isPlainText(_ expression: ScriptExpression) -> Bool {
        if case .string(let text) = expression.node { number(ofText: text) == nil } else { false }
    }

    /// `==` of a constant text with a number or a value of an unknown type; nil for anything else.
    private func loose(
        _ constant: ScriptExpression, _ one: CELText, _ other: CELText, _ mark: String
    ) -> CELText? {
        guard case .string(let text) = constant.node else { return nil }
        guard let number = Self.number(ofText: text) else {
            guard other.kind.isNumber || other.kind == .bool else { return nil }
            return CELText(
                text: "dyn(\(other.text)) \(mark) \(one.text)", binding: .relation, kind: .bool)
        }
        let plain = CELText.number(number)
        if other.kind.isNumber {
            return CELText(
                text: "\(other.within(.sum)) \(mark) \(plain)", binding: .relation, kind: .bool)
        }
        guard other.kind == .unknown else { return nil }
        let bool = number == 0 ? ", false" : number == 1 ? ", true" : ""
        let found = CELText(
            text: "\(other.within(.sum)) in [\(one.text), \(plain)\(bool)]",
            binding: .relation, kind: .bool)
        return mark == "==" ? found : opposite(found)
    }

    /// `==` of values whose types are known to differ.
    private mutating func converted(
        _ left: ScriptExpression, _ right: ScriptExpression, _ one: CELText, _ other: CELText,
        _ mark: String, _ index: Int
    ) -> CELText {
        let kinds = [one.kind, other.kind]
        var (first, second) = (one, other)
        if kinds.contains(.list) || kinds.contains(.map) {
            note(index, "a list or object equals no value of another type here")
            first = CELText(text: "dyn(\(one.text))")
        } else if kinds.contains(.nothing) {
            first = CELText(text: "dyn(\(one.text))")
        } else {
            first = number(one, left, index)
            second = number(other, right, index)
        }
        return CELText(
            text: "\(first.within(.relation)) \(mark) \(second.within(.sum))",
            binding: .relation, kind: .bool)
    }

    // MARK: Null, undefined and types

    /// `x == null`, `x === undefined` and the like. A declared variable without a value is null.
    private mutating func nothingTest(
        _ operand: ScriptExpression, _ nothing: ScriptExpression, isStrict: Bool
    ) throws(ScriptFault) -> CELText {
        func relation(_ text: String) -> CELText {
            CELText(text: text, binding: .relation, kind: .bool)
        }
        var isUndefined = false
        if case .undefined = nothing.node { isUndefined = true }
        if operand.name == "_event" { return relation("event == null") }
        if operand.isNothing { return CELText(text: "true", kind: .bool) }
        if isStrict, isUndefined, operand.isEventData { return hasNoData }
        if let text = try optional(operand) {
            if isStrict, isUndefined { return missing(operand, text) }
            if isStrict { return relation("\(text) == optional.of(null)") }
            return relation("\(text).orValue(null) == null")
        }
        let text = try value(operand)
        if isStrict, operand.name.map({ !$0.hasPrefix("_") }) ?? false {
            generalNote(operand.index, "null and undefined are the same value in a variable here")
        }
        return relation("\(text.within(.relation)) == null")
    }

    /// Whether a member or element isn't there, from its text as an optional value.
    private func missing(_ expression: ScriptExpression, _ text: String) -> CELText {
        if case .member(_, let name) = expression.node, text.hasSuffix(".?\(name)") {
            let subject = text.dropLast(name.count + 2)
            return CELText(text: "!has(\(subject).\(name))", binding: .unary, kind: .bool)
        }
        return CELText(text: "!\(text).hasValue()", binding: .unary, kind: .bool)
    }

    /// `typeof x === 'type'`.
    private mutating func typeTest(
        _ operand: ScriptExpression, _ type: String
    ) throws(ScriptFault) -> CELText {
        func constant(_ value: Bool) -> CELText {
            CELText(text: value ? "true" : "false", kind: .bool)
        }
        if case .null = operand.node { return constant(type == "object") }
        if case .undefined = operand.node { return constant(type == "undefined") }
        if let name = operand.name, !name.hasPrefix("_"), !scope.names.contains(name) {
            return constant(type == "undefined")
        }
        if type == "undefined" {
            return try nothingTest(
                operand, ScriptExpression(node: .undefined, index: operand.index), isStrict: true)
        }
        let found = operand.name == "_event" ? CELText(text: "event") : try lenient(operand)
        func test(_ name: String) -> String { "type(\(found.text)) == \(name)" }
        func relation(_ text: String) -> CELText {
            CELText(text: text, binding: .relation, kind: .bool)
        }
        switch type {
        case "string": return relation(test("string"))
        case "boolean": return relation(test("bool"))
        case "number":
            return CELText(
                text: "\(test("int")) || \(test("double"))", binding: .or, kind: .bool)
        case "object":
            if found.kind == .unknown || found.kind == .nothing {
                generalNote(operand.index, "'typeof' of null isn't 'object' here")
            }
            return CELText(
                text: "\(test("map")) || \(test("list"))", binding: .or, kind: .bool)
        default: return constant(false)
        }
    }
}
