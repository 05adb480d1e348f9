/// Doubles as text: with the fewest digits that read back as the same number, or with a number
/// of digits.
enum NumberText {
    /// `string(x)`: with an exponent below 0.0001 and from 1,000,000 on, such as `1e+23`.
    static func short(_ value: Double) -> String {
        if let special = special(value) { return special }
        let decimal = ExactDecimal(shortest: value)
        let exponent = decimal.point - 1
        let text =
            exponent < -4 || exponent >= 6
            ? scientific(decimal) : plain(decimal, digits: max(0, decimal.fractionCount))
        return (value.sign == .minus ? "-" : "") + text
    }

    /// `%s` and `%d`: never with an exponent.
    static func plain(_ value: Double) -> String {
        if let special = special(value) { return special }
        let decimal = ExactDecimal(shortest: value)
        return (value.sign == .minus ? "-" : "")
            + plain(decimal, digits: max(0, decimal.fractionCount))
    }

    /// `%f`: exactly `digits` digits after the point, half to even.
    static func fixed(_ value: Double, digits: Int) -> String {
        if let special = special(value) { return special }
        let decimal = ExactDecimal(exactly: value).rounded(fractionDigits: digits)
        return (value.sign == .minus ? "-" : "") + plain(decimal, digits: digits)
    }

    /// `%e`: one digit before the point, `digits` after it, half to even.
    static func scientific(_ value: Double, digits: Int) -> String {
        if let special = special(value) { return special }
        var decimal = ExactDecimal(exactly: value)
        decimal = decimal.rounded(fractionDigits: digits + 1 - decimal.point)
        return (value.sign == .minus ? "-" : "") + scientific(decimal, digits: digits)
    }

    private static func special(_ value: Double) -> String? {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return nil
    }

    private static func plain(_ decimal: ExactDecimal, digits: Int) -> String {
        let whole = decimal.point > 0 ? (0..<decimal.point).map { decimal.digit($0) } : [48]
        let fraction = (0..<digits).map { decimal.digit(decimal.point + $0) }
        let text = whole + (fraction.isEmpty ? [] : [UInt8(ascii: ".")] + fraction)
        return String(decoding: text, as: UTF8.self)
    }

    private static func scientific(_ decimal: ExactDecimal, digits: Int? = nil) -> String {
        let digits = digits ?? max(0, decimal.digits.count - 1)
        let fraction = (0..<digits).map { decimal.digit(1 + $0) }
        let exponent = decimal.digits.isEmpty ? 0 : decimal.point - 1
        let magnitude = "\(exponent.magnitude)"
        var text = [decimal.digit(0)]
        if !fraction.isEmpty { text += [UInt8(ascii: ".")] + fraction }
        return String(decoding: text, as: UTF8.self) + "e" + (exponent < 0 ? "-" : "+")
            + (magnitude.utf8.count < 2 ? "0" : "") + magnitude
    }
}
