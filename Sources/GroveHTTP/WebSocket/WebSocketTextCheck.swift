/// Checks that bytes are UTF-8 of one line, in pieces that may end within a character. It fails at
/// the first byte that can't be right (RFC 6455, section 8.1; Unicode 16.0, table 3-7).
struct WebSocketTextCheck: Sendable {
    /// The bytes that the present character still takes.
    private var pending: UInt8 = 0
    /// The bounds of the next of them.
    private var least: UInt8 = 0x80
    private var most: UInt8 = 0xBF

    /// Whether no character is unfinished.
    var isComplete: Bool { pending == 0 }

    /// Checks the next bytes.
    ///
    /// - Returns: A failure with code 1007 for bytes that are no UTF-8, and for a newline.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> WebSocketFailure? {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if pending > 0 {
                guard least <= byte, byte <= most else { return .badText }
                pending -= 1
                least = 0x80
                most = 0xBF
                index += 1
            } else if byte < 0x80, byte != 0x0A {
                index = Self.plainEnd(of: bytes, from: index)
            } else {
                if let failure = begin(byte) { return failure }
                index += 1
            }
        }
        return nil
    }

    /// Begins a character of several bytes. Its second byte excludes what has a shorter form, the
    /// surrogates, and what is no Unicode.
    private mutating func begin(_ byte: UInt8) -> WebSocketFailure? {
        switch byte {
        case 0x0A: return .newline
        case 0xC2...0xDF: pending = 1
        case 0xE0...0xEF:
            pending = 2
            if byte == 0xE0 { least = 0xA0 }
            if byte == 0xED { most = 0x9F }
        case 0xF0...0xF4:
            pending = 3
            if byte == 0xF0 { least = 0x90 }
            if byte == 0xF4 { most = 0x8F }
        default: return .badText
        }
        return nil
    }

    /// The index of the first newline or byte that isn't ASCII, from `start` on; the count of bytes
    /// if there is none.
    private static func plainEnd(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let newlines: UInt64 = 0x0A0A_0A0A_0A0A_0A0A
        let low: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        var index = start
        let wordsEnd = bytes.count - 7
        while index < wordsEnd {
            let word = UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            // As in `ByteScan`, the lowest mark of a newline is exact; so is each of another byte.
            let difference = word ^ newlines
            let marked = ((difference &- low) & ~difference | word) & high
            if marked != 0 { return index + marked.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80, bytes[index] != 0x0A { index += 1 }
        return index
    }
}
