/// The classes of bytes in names (protocol.md, "Names").
enum NameBytes {
    /// A letter, with which a machine's name begins.
    static func isLetter(_ byte: UInt8) -> Bool {
        isOneOf(0, 0x07FF_FFFE_07FF_FFFE, byte)
    }

    /// A byte of a machine's name: a letter, a digit, or one of `_.-`.
    static func isMachine(_ byte: UInt8) -> Bool {
        isOneOf(0x03FF_6000_0000_0000, 0x07FF_FFFE_87FF_FFFE, byte)
    }

    /// A byte of an instance's name: a letter, a digit, or one of `._:@~+=,-`.
    static func isInstance(_ byte: UInt8) -> Bool {
        isOneOf(0x27FF_7800_0000_0000, 0x47FF_FFFE_87FF_FFFF, byte)
    }

    /// Whether a byte is of a class.
    ///
    /// - Parameters:
    ///   - low: The bytes of the class below 64, as bits.
    ///   - high: Those from 64 to 127.
    private static func isOneOf(_ low: UInt64, _ high: UInt64, _ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 0x40 ? low : high) >> UInt64(byte & 0x3F) & 1 == 1
    }
}
