/// The classes of bytes in the grammar of HTTP (RFC 9110, section 5.6; RFC 3986, section 2).
enum HTTPBytes {
    /// A byte of a token: a letter, a digit, or one of ``!#$%&'*+-.^_`|~``.
    static func isToken(_ byte: UInt8) -> Bool {
        isOneOf(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE, byte)
    }

    /// A byte of a request's target: of a host's name, of an escape, or one of `:@/?`, which
    /// separate its parts.
    static func isTarget(_ byte: UInt8) -> Bool {
        isOneOf(0xAFFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF, byte)
    }

    /// A byte of a host's name that stands for itself: a letter, a digit, or one of
    /// `-._~!$&'()*+,;=`.
    static func isName(_ byte: UInt8) -> Bool {
        isOneOf(0x2BFF_7FD2_0000_0000, 0x47FF_FFFE_87FF_FFFE, byte)
    }

    /// Whether a byte is of a class.
    ///
    /// - Parameters:
    ///   - low: The bytes of the class below 64, as bits.
    ///   - high: Those from 64 to 127.
    private static func isOneOf(_ low: UInt64, _ high: UInt64, _ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 0x40 ? low : high) >> UInt64(byte & 0x3F) & 1 == 1
    }

    /// A byte of a field's value.
    static func isValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    /// A space or a tab.
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// A decimal digit.
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// The value of a hexadecimal digit.
    static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }

    /// The byte, a letter in lower case.
    static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Whether a text is this word, which is in lower case, in any case.
    static func isWord(_ text: some Collection<UInt8>, _ word: StaticString) -> Bool {
        guard text.count == word.utf8CodeUnitCount else { return false }
        var expected = word.utf8Start
        for byte in text {
            guard lower(byte) == expected.pointee else { return false }
            expected += 1
        }
        return true
    }

    /// Whether the first bytes are this word, which is in lower case, in any case.
    static func isWord(_ bytes: Span<UInt8>, to end: Int, _ word: StaticString) -> Bool {
        end == word.utf8CodeUnitCount
            && (0..<end).allSatisfy { lower(bytes[$0]) == word.utf8Start[$0] }
    }

    /// Whether the bytes of a range are exactly this text.
    static func isText(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount
            && range.allSatisfy { bytes[$0] == text.utf8Start[$0 - range.lowerBound] }
    }

    /// The bytes of a range.
    static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        bytes.extracting(range).withUnsafeBufferPointer { Array($0) }
    }
}
