/// The classes of bytes in the grammar of HTTP (RFC 9110, section 5.6; RFC 3986).
enum HTTPBytes {
    private static let isTokenByte = table("!#$%&'*+-.^_`|~", letters: true)
    private static let isTargetByte = table("-._~!$&'()*+,;=:@/?%", letters: true)
    private static let isHostByte = table("-._~!$&'()*+,;=%", letters: true)

    private static func table(_ text: String, letters: Bool) -> [Bool] {
        var table = [Bool](repeating: false, count: 256)
        for byte in text.utf8 { table[Int(byte)] = true }
        for byte in UInt8(0x30)...0x39 { table[Int(byte)] = true }
        if letters {
            for byte in UInt8(0x41)...0x5A {
                table[Int(byte)] = true
                table[Int(byte | 0x20)] = true
            }
        }
        return table
    }

    /// A byte of a token.
    static func isToken(_ byte: UInt8) -> Bool { isTokenByte[Int(byte)] }

    /// Whether it is a token: at least one of its bytes.
    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isToken)
    }

    /// A byte of a request's target.
    static func isTarget(_ byte: UInt8) -> Bool { isTargetByte[Int(byte)] }

    /// A byte of a field's value.
    static func isValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The value of a hexadecimal digit.
    static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }

    static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Whether it is a host with or without a port (RFC 3986, section 3.2.2), and not empty.
    static func isHost(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
        var host = Array(bytes)
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")), end > 2 else { return false }
            let isAddress = host[1..<end].allSatisfy {
                hex($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
            return isAddress && host[1..<end].contains(UInt8(ascii: ":"))
                && isPort(host[(end + 1)...])
        }
        if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
            guard isPort(host[colon...]) else { return false }
            host.removeSubrange(colon...)
        }
        return !host.isEmpty && host.allSatisfy { isHostByte[Int($0)] }
    }

    /// Nothing, or a colon and up to five digits.
    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.isEmpty
            || bytes.first == UInt8(ascii: ":") && (2...6).contains(bytes.count)
                && bytes.dropFirst().allSatisfy(isDigit)
    }
}
