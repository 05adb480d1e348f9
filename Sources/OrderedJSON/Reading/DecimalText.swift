/// The value of a number that follows the grammar of RFC 8259 section 6.
///
/// Doubles are the nearest to the decimal value, ties to even. Reading takes time proportional to
/// the length: of the digits after the first 800, only whether any isn't zero counts.
struct DecimalText {
    /// Powers of ten that a double holds exactly.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    private let text: UnsafeBufferPointer<UInt8>
    private let isNegative: Bool
    /// The first nineteen significant digits; exact if there are no more.
    private var mantissa: UInt64 = 0
    /// The number of digits from the first that isn't zero.
    private var digits = 0
    /// The decimal exponent of the last digit: value = all digits × 10^exponent.
    private var exponent = 0

    /// Reads the number in `text`, which must contain nothing else.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        isNegative = text[0] == UInt8(ascii: "-")
        var index = isNegative ? 1 : 0
        var fractionDigits = 0
        var isFraction = false
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else if byte | 0x20 == UInt8(ascii: "e") {
                break
            } else {
                if isFraction { fractionDigits += 1 }
                if digits > 0 || byte != UInt8(ascii: "0") {
                    digits += 1
                    if digits <= 19 { mantissa = mantissa &* 10 &+ UInt64(byte & 15) }
                }
            }
            index += 1
        }
        exponent = Self.writtenExponent(text, from: index + 1) - fractionDigits
    }

    /// The exponent after the `e`, 0 if there is none; clamped to ±10^12, far past any text.
    private static func writtenExponent(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int {
        guard start < text.count else { return 0 }
        var value = 0
        for byte in text[start...] where byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-") {
            value = min(value * 10 + Int(byte & 15), 1_000_000_000_000)
        }
        return text[start] == UInt8(ascii: "-") ? -value : value
    }

    /// The value if the text has no fraction or exponent and it lies within ±(2^53 − 1).
    var exactInteger: Int64? {
        guard exponent == 0, digits <= 16, mantissa <= JSONLimits.integerMax.magnitude,
            !text.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") })
        else { return nil }
        return isNegative ? -Int64(mantissa) : Int64(mantissa)
    }

    /// Whether the nearest double is finite.
    var isFinite: Bool {
        // The value is below 10^magnitude and at least 10^(magnitude - 1), or zero.
        let magnitude = digits + exponent
        if digits == 0 || magnitude <= 308 { return true }
        return magnitude == 309 && double.isFinite
    }

    /// The nearest double; infinite if no finite one is near.
    var double: Double {
        let value = magnitude
        return isNegative ? -value : value
    }

    private var magnitude: Double {
        if digits == 0 { return 0 }
        if digits + exponent > 309 { return .infinity }
        if digits + exponent < -330 { return 0 }
        if digits <= 19, mantissa <= 1 << 53 {
            // Both factors are exact and one operation rounds once.
            if exponent >= 0, exponent <= 22 {
                return Double(mantissa) * Self.powers[exponent]
            }
            if exponent < 0, exponent >= -22 {
                return Double(mantissa) / Self.powers[-exponent]
            }
        }
        return Double(shortened) ?? (exponent < 0 ? 0 : .infinity)
    }

    /// The same value with at most 801 digits: one digit 1 replaces those after the first 800 if
    /// any of them isn't zero.
    private var shortened: String {
        if digits <= 19 { return "\(mantissa)e\(exponent)" }
        var kept: [UInt8] = []
        var isBeyondZero = true
        for byte in text where byte != UInt8(ascii: ".") && byte != UInt8(ascii: "-") {
            if byte | 0x20 == UInt8(ascii: "e") { break }
            if kept.isEmpty, byte == UInt8(ascii: "0") { continue }
            if kept.count < JSONLimits.significantDigitsMax {
                kept.append(byte)
            } else if byte != UInt8(ascii: "0") {
                isBeyondZero = false
            }
        }
        var lastExponent = exponent + digits - kept.count
        if !isBeyondZero {
            kept.append(UInt8(ascii: "1"))
            lastExponent -= 1
        }
        return String(decoding: kept, as: UTF8.self) + "e\(lastExponent)"
    }
}
