/// Finds bytes in buffers, eight at a time.
package enum ByteScan {
    /// The index of the first newline from `start` on.
    package static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        let pattern: UInt64 = 0x0A0A_0A0A_0A0A_0A0A
        let low: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        var index = start
        let wordsEnd = bytes.count - 7
        while index < wordsEnd {
            let word = UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            // A byte of `difference` is zero where the text has a newline; the lowest marked
            // byte is exact, bytes above it may be marked falsely.
            let difference = word ^ pattern
            let marked = (difference &- low) & ~difference & high
            if marked != 0 { return index + marked.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count {
            if bytes[index] == 0x0A { return index }
            index += 1
        }
        return nil
    }
}
