/// Tests eight bytes of a string at once, as one 64-bit word whose lowest byte comes first.
enum EightBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes at `pointer`; all of them must be readable.
    @inline(__always)
    static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
        let word = UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self)
        return UInt64(littleEndian: word)
    }

    /// The top bit of every byte that is a quote, a backslash, below 0x20 or above 0x7F. The
    /// lowest bit set is exact; those above it may be false, because a subtraction that borrows
    /// disturbs the bytes above.
    @inline(__always)
    static func unusual(_ word: UInt64) -> UInt64 {
        escaped(word) | word & tops
    }

    /// The top bit of every byte that must be escaped in a string: a quote, a backslash, below
    /// 0x20. The lowest bit set is exact, as above.
    @inline(__always)
    static func escaped(_ word: UInt64) -> UInt64 {
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let low =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | ((word &- (ones &* 0x20)) & ~word)
        return low & tops
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII, of either case; nil for any other byte.
    @inline(__always)
    var hexDigitValue: UInt32? {
        let digit = self &- UInt8(ascii: "0")
        if digit < 10 { return UInt32(digit) }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? UInt32(letter) + 10 : nil
    }
}
