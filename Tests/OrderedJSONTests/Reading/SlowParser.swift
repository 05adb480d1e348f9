/// A second JSON reader, slow and obvious, to compare the real one with: it walks over scalars,
/// recursively, and says only yes or no. It shares nothing with the library.
struct SlowParser {
    private var rest: ArraySlice<Unicode.Scalar>

    /// A canonical description of the text's value; nil if the text must be refused.
    static func describe(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var parser = SlowParser(rest: Array(text.unicodeScalars)[...])
        parser.skipSpace()
        guard let value = parser.value(depth: 0) else { return nil }
        parser.skipSpace()
        return parser.rest.isEmpty ? value : nil
    }

    private mutating func skipSpace() {
        while let next = rest.first, " \t\r\n".unicodeScalars.contains(next) { rest.removeFirst() }
    }

    private mutating func take(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        guard rest.starts(with: scalars) else { return false }
        rest.removeFirst(scalars.count)
        return true
    }

    private mutating func value(depth: Int) -> String? {
        if take("null") { return "null" }
        if take("true") { return "true" }
        if take("false") { return "false" }
        if rest.first == "\"" { return string().map { "s\(Array($0.utf8))" } }
        if take("[") { return depth < 64 ? array(depth: depth + 1) : nil }
        if take("{") { return depth < 64 ? object(depth: depth + 1) : nil }
        return number()
    }

    private mutating func array(depth: Int) -> String? {
        var elements: [String] = []
        skipSpace()
        if take("]") { return "[]" }
        while true {
            skipSpace()
            guard let element = value(depth: depth) else { return nil }
            elements.append(element)
            skipSpace()
            if take("]") { return "[" + elements.joined(separator: ",") + "]" }
            guard take(",") else { return nil }
        }
    }

    private mutating func object(depth: Int) -> String? {
        var members: [String] = []
        var names: [[UInt8]] = []
        skipSpace()
        if take("}") { return "{}" }
        while true {
            skipSpace()
            guard let name = string(), !names.contains(Array(name.utf8)) else { return nil }
            names.append(Array(name.utf8))
            skipSpace()
            guard take(":") else { return nil }
            skipSpace()
            guard let value = value(depth: depth) else { return nil }
            members.append("\(Array(name.utf8)):\(value)")
            skipSpace()
            if take("}") { return "{" + members.joined(separator: ",") + "}" }
            guard take(",") else { return nil }
        }
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var units: [UInt16] = []
        while let next = rest.popFirst() {
            if next == "\"" { return String(validating: units, as: UTF16.self) }
            if next.value < 0x20 { return nil }
            guard next == "\\" else {
                units += Array(String(Character(next)).utf16)
                continue
            }
            guard let letter = rest.popFirst() else { return nil }
            let short: [Unicode.Scalar: UInt16] = [
                "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
            ]
            if let unit = short[letter] {
                units.append(unit)
            } else if letter == "u", rest.count >= 4 {
                let digits = String(String.UnicodeScalarView(rest.prefix(4)))
                guard digits.allSatisfy(\.isHexDigit), digits.utf8.count == 4,
                    let unit = UInt16(digits, radix: 16)
                else { return nil }
                rest.removeFirst(4)
                units.append(unit)
            } else {
                return nil
            }
        }
        return nil
    }

    private mutating func number() -> String? {
        var text = take("-") ? "-" : ""
        guard let whole = digits(), whole == "0" || !whole.hasPrefix("0") else { return nil }
        text += whole
        var isInteger = true
        if take(".") {
            guard let fraction = digits() else { return nil }
            text += "." + fraction
            isInteger = false
        }
        if take("e") || take("E") {
            let sign = take("-") ? "-" : take("+") ? "+" : ""
            guard let exponent = digits() else { return nil }
            text += "e" + sign + exponent
            isInteger = false
        }
        if isInteger, let integer = Int64(text), abs(integer) < 1 << 53 { return "i\(integer)" }
        guard let double = Double(text), double.isFinite else { return nil }
        return "d\(double)"
    }

    private mutating func digits() -> String? {
        var digits = ""
        while let next = rest.first, ("0"..."9").contains(next) {
            digits.unicodeScalars.append(next)
            rest.removeFirst()
        }
        return digits.isEmpty ? nil : digits
    }
}
