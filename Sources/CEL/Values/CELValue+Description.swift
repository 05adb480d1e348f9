extension CELValue: CustomStringConvertible {
    /// The value as an expression of the language, which gives an equal value of the same type:
    /// `1u`, `"a"`, `timestamp("1970-01-01T00:00:00Z")`. Its length grows with the value, each
    /// time that a part is repeated.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .uint(let value): "\(value)u"
        case .double(let value):
            value.isFinite ? "\(value)" : "double(\"\(NumberText.short(value))\")"
        case .string(let text): Self.literal(text)
        case .bytes(let bytes): Self.literal(bytes)
        case .list(let elements):
            "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .map(let map):
            "{" + map.entries.map { "\($0.key.value): \($0.value)" }.joined(separator: ", ") + "}"
        case .timestamp(let value): "timestamp(\"\(value)\")"
        case .duration(let value): "duration(\"\(value)\")"
        case .type(let type): type.name
        case .optional(nil): "optional.none()"
        case .optional(let value?): "optional.of(\(value))"
        }
    }

    private static let escapes: [Unicode.Scalar: String] = [
        "\u{7}": "\\a", "\u{8}": "\\b", "\u{C}": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
        "\u{B}": "\\v", "\\": "\\\\", "\"": "\\\"",
    ]

    /// A text between quotes, with escapes where the language has short ones.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if let escape = escapes[scalar] {
                result += escape
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func literal(_ bytes: [UInt8]) -> String {
        let parts = bytes.map { byte in
            let isPlain = 0x20...0x7E ~= byte && byte != 0x22 && byte != 0x5C
            if isPlain { return String(Unicode.Scalar(byte)) }
            return (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16)
        }
        return "b\"" + parts.joined() + "\""
    }
}
