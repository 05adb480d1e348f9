import OrderedJSON

/// An expression of ECMAScript.
struct ScriptExpression: Sendable {
    indirect enum Node: Sendable {
        case null
        case undefined
        case bool(Bool)
        case number(Double)
        case string(String)
        case name(String)
        case array([ScriptExpression])
        case object([(name: String, value: ScriptExpression)])
        case member(ScriptExpression, String)
        case element(ScriptExpression, ScriptExpression)
        case call(ScriptExpression, [ScriptExpression])
        case unary(String, ScriptExpression)
        case binary(String, ScriptExpression, ScriptExpression)
        case conditional(ScriptExpression, ScriptExpression, ScriptExpression)
    }

    let node: Node
    /// The place of its first byte, or of its operator.
    let index: Int

    /// The name, if it is only a name.
    var name: String? {
        if case .name(let name) = node { name } else { nil }
    }

    /// The value of a constant of literals; nil for anything else.
    var constant: JSONValue? {
        switch node {
        case .null, .undefined: return .null
        case .bool(let value): return .bool(value)
        case .number(let value): return Self.json(value)
        case .string(let text): return .string(text)
        case .unary("-", let operand):
            guard case .number(let value) = operand.node else { return nil }
            return Self.json(-value)
        case .array(let elements):
            let values = elements.compactMap(\.constant)
            return values.count == elements.count ? .array(values) : nil
        case .object(let members):
            var object = JSONObject()
            for member in members {
                guard let value = member.value.constant else { return nil }
                object[member.name] = value
            }
            return .object(object)
        default: return nil
        }
    }

    private static func json(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { abs($0) < 1 << 53 ? .integer($0) : .double(value) }
            ?? .double(value)
    }
}
