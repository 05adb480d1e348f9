/// The decimal digits of a finite double, without its sign.
struct ExactDecimal {
    /// ASCII digits without zeros at either end; empty for 0.
    private(set) var digits: [UInt8]
    /// The number of digits before the point; negative if zeros follow the point.
    private(set) var point: Int

    /// Digits after the point.
    var fractionCount: Int { digits.count - point }

    /// The digit at a position counted from the first one; 0 outside of them.
    func digit(_ position: Int) -> UInt8 {
        digits.indices.contains(position) ? digits[position] : UInt8(ascii: "0")
    }

    /// The fewest digits that read back as the same double.
    init(shortest value: Double) {
        digits = []
        point = 0
        var exponent = 0
        var fractionDigits = 0
        var isFraction = false
        let text = Array("\(value.magnitude)".utf8)
        let end = text.firstIndex(of: UInt8(ascii: "e")) ?? text.count
        for byte in text[..<end] {
            if byte == UInt8(ascii: ".") {
                isFraction = true
            } else {
                digits.append(byte)
                if isFraction { fractionDigits += 1 }
            }
        }
        if end < text.count {
            exponent = Int(String(decoding: text[(end + 1)...], as: UTF8.self)) ?? 0
        }
        point = digits.count - fractionDigits + exponent
        trim()
    }

    /// All digits: up to 309 before the point, and 1,074 after it.
    init(exactly value: Double) {
        let isNormal = value.isNormal
        var significand = value.significandBitPattern | (isNormal ? 1 << 52 : 0)
        var exponent = isNormal ? Int(value.exponentBitPattern) - 1_075 : -1_074
        guard significand != 0 else {
            digits = []
            point = 0
            return
        }
        let zeros = significand.trailingZeroBitCount
        significand >>= UInt64(zeros)
        exponent += zeros
        // value = significand × 2^exponent. For a negative exponent the digits are those of
        // significand × 5^-exponent, with the point moved.
        var number = Natural(significand)
        for _ in 0..<exponent.magnitude { number.multiply(by: exponent < 0 ? 5 : 2) }
        digits = number.decimal
        point = digits.count + min(exponent, 0)
        trim()
    }

    private mutating func trim() {
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        point -= zeros
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty { point = 0 }
    }

    /// The value rounded to a number of digits after the point, half to even; a negative number
    /// rounds before the point.
    func rounded(fractionDigits: Int) -> ExactDecimal {
        let kept = point + fractionDigits
        guard kept < digits.count else { return self }
        var result = self
        guard kept >= 0 else {
            result.digits = []
            result.point = 0
            return result
        }
        let half = UInt8(ascii: "5")
        let isOdd = kept > 0 && digits[kept - 1] & 1 == 1
        let isUp =
            digits[kept] > half || digits[kept] == half && (digits.count > kept + 1 || isOdd)
        result.digits.removeSubrange(kept...)
        if isUp {
            var position = kept - 1
            while position >= 0, result.digits[position] == UInt8(ascii: "9") {
                result.digits[position] = UInt8(ascii: "0")
                position -= 1
            }
            if position >= 0 {
                result.digits[position] += 1
            } else {
                result.digits.insert(UInt8(ascii: "1"), at: 0)
                result.point += 1
            }
        }
        result.trim()
        return result
    }
}

/// A natural number of any size.
private struct Natural {
    /// Digits of base 10^9, the lowest first.
    private var parts: [UInt64] = []

    init(_ value: UInt64) {
        var rest = value
        while rest > 0 {
            parts.append(rest % 1_000_000_000)
            rest /= 1_000_000_000
        }
    }

    mutating func multiply(by factor: UInt64) {
        var carry: UInt64 = 0
        for index in parts.indices {
            let product = parts[index] * factor + carry
            parts[index] = product % 1_000_000_000
            carry = product / 1_000_000_000
        }
        if carry > 0 { parts.append(carry) }
    }

    /// ASCII digits, the highest first, perhaps with zeros before them.
    var decimal: [UInt8] {
        parts.reversed().flatMap { part in "\(1_000_000_000 + part)".utf8.dropFirst() }
    }
}
