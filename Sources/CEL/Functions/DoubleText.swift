/// Text that is a `double`: what `strconv.ParseFloat` of Go takes, as cel-go does.
enum DoubleText {
    /// The number of a text such as `-1.5e3`, `0x1.8p1`, `NaN` or `+inf`; nil for another text,
    /// and for a number that is too large.
    static func value(_ text: String) -> Double? {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        let isSigned = isNegative || rest.first == UInt8(ascii: "+")
        if isSigned { rest.removeFirst() }
        if isNumeral(rest) {
            // The system's reader takes more, and rounds all that is left here correctly.
            return Double(text).flatMap { $0.isInfinite ? nil : $0 }
        }
        switch String(decoding: rest, as: UTF8.self).lowercased() {
        case "inf", "infinity": return isNegative ? -.infinity : .infinity
        case "nan" where !isSigned: return .nan
        default: return nil
        }
    }

    /// Whether a text without its sign is a decimal number, or a hexadecimal one with an exponent
    /// of two.
    private static func isNumeral(_ text: ArraySlice<UInt8>) -> Bool {
        let isHex = text.starts(with: "0x".utf8) || text.starts(with: "0X".utf8)
        var rest = isHex ? text.dropFirst(2) : text
        let isDigit: (UInt8) -> Bool = { byte in
            byte.isDigit || isHex && UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
        }
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var digits = whole.count
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            rest = rest.dropFirst(1 + fraction.count)
            digits += fraction.count
        }
        guard digits > 0 else { return false }
        guard let mark = rest.first else { return !isHex }
        guard mark | 0x20 == (isHex ? UInt8(ascii: "p") : UInt8(ascii: "e")) else { return false }
        rest.removeFirst()
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
            rest.removeFirst()
        }
        return !rest.isEmpty && rest.allSatisfy(\.isDigit)
    }
}
