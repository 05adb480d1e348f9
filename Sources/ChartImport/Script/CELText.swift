/// An expression of CEL as text.
struct CELText: Sendable {
    /// The type of the value, as far as it is known.
    enum Kind: Sendable {
        /// Null or undefined.
        case nothing
        case bool
        /// A number without a fraction.
        case integer
        case number
        case string
        case list
        case map
        case unknown

        var isNumber: Bool { self == .integer || self == .number }

        /// The kind of a value of one of two kinds.
        func joined(with other: Kind) -> Kind {
            if self == other { return self }
            return isNumber && other.isNumber ? .number : .unknown
        }
    }

    /// How tightly the outermost operator binds.
    enum Binding: Int, Comparable, Sendable {
        case conditional
        case or
        case and
        case relation
        case sum
        case product
        case unary
        case operand

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    let text: String
    var binding = Binding.operand
    var kind = Kind.unknown

    /// The text, in parentheses if it binds less tightly.
    func within(_ least: Binding) -> String { binding < least ? "(\(text))" : text }

    /// A text as a literal of CEL.
    static func literal(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": result += "\\'"
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }

    /// A member of a value: `.name`, or `["any name"]`.
    static func access(_ name: String) -> String {
        isIdentifier(name) ? ".\(name)" : "[\(literal(name))]"
    }

    /// The same of a value that may lack it: `.?name`, or `[?'any name']`.
    static func optionalAccess(_ name: String) -> String {
        isIdentifier(name) ? ".?\(name)" : "[?\(literal(name))]"
    }

    /// Whether a name can follow a `.` in CEL.
    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39 ~= first), !reserved.contains(name)
        else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x5F: true
            default: false
            }
        }
    }

    private static let reserved: Set<String> = [
        "in", "true", "false", "null", "as", "break", "const", "continue", "else", "for",
        "function", "if", "import", "let", "loop", "package", "namespace", "return", "var",
        "void", "while",
    ]

    /// A number: an integer without a fraction.
    static func number(_ value: Double) -> String {
        if let integer = Int64(exactly: value), abs(value) < 9_007_199_254_740_992 {
            return "\(integer)"
        }
        return "\(value)"
    }
}
