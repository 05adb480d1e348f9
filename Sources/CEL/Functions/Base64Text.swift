/// Bytes as text, RFC 4648 section 4. Padding is written, and may be missing in what is read.
enum Base64Text {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                let letter = letters[Int(bits >> UInt32(18 - 6 * index) & 63)]
                text.append(index <= group.count ? letter : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text; nil if it is none.
    static func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)[...]
        let isPadded = digits.last == UInt8(ascii: "=")
        if isPadded {
            guard digits.count.isMultiple(of: 4) else { return nil }
            digits = digits.dropLast(digits.dropLast().last == UInt8(ascii: "=") ? 2 : 1)
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count = 0
        for digit in digits {
            guard let value = value(digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(_ letter: UInt8) -> UInt32? {
        switch Unicode.Scalar(letter) {
        case "A"..."Z": UInt32(letter - 65)
        case "a"..."z": UInt32(letter - 71)
        case "0"..."9": UInt32(letter + 4)
        case "+": 62
        case "/": 63
        default: nil
        }
    }
}
