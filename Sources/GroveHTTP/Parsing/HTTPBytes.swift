/// The classes of bytes in the grammar of HTTP (RFC 9110, section 5.6; RFC 3986, section 2).
enum HTTPBytes {
    /// A byte of a token.
    static func isToken(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "!", "#", "$", "%", "&", "'", "*", "+", "-", ".",
            "^", "_", "`", "|", "~":
            true
        default: false
        }
    }

    /// A byte of a request's target: unreserved, of an escape, or one that separates its parts.
    static func isTarget(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case ":", "@", "/", "?", "%": true
        default: isName(byte)
        }
    }

    /// A byte of a host's name that stands for itself.
    static func isName(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "!", "$", "&", "'", "(", ")",
            "*", "+", ",", ";", "=":
            true
        default: false
        }
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
        text.count == word.utf8CodeUnitCount
            && word.withUTF8Buffer { text.lazy.map(lower).elementsEqual($0) }
    }

    /// Whether the bytes of a range are exactly this text.
    static func isText(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount
            && text.withUTF8Buffer { text in
                range.allSatisfy { bytes[$0] == text[$0 - range.lowerBound] }
            }
    }

    /// The bytes of a range.
    static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        bytes.extracting(range).withUnsafeBufferPointer { Array($0) }
    }
}
