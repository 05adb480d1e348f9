/// Text in a URL (RFC 3986, section 2.1).
enum PercentEscape {
    /// The text with everything escaped but letters, digits and `-._~`.
    static func of(_ text: String) -> [UInt8] {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: escaped.append(byte)
            default:
                escaped.append(UInt8(ascii: "%"))
                escaped.append(digit(byte >> 4))
                escaped.append(digit(byte & 15))
            }
        }
        return escaped
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "A")
    }
}
