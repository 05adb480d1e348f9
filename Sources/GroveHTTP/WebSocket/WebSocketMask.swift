/// The key of a frame of a client, which hides its payload from proxies (RFC 6455, section 5.3).
struct WebSocketMask: Sendable {
    /// The four bytes in the order in which they are used, the next one lowest.
    private var key: UInt32 = 0

    /// A mask that changes nothing.
    init() {}

    /// Adds the next byte of the key; it takes four.
    mutating func append(_ byte: UInt8) { key = key >> 8 | UInt32(byte) << 24 }

    /// Appends the next bytes of the payload, unmasked.
    ///
    /// - Returns: The index of the first of them.
    mutating func append(_ payload: UnsafeRawBufferPointer, to bytes: inout [UInt8]) -> Int {
        let start = bytes.count
        bytes.append(contentsOf: payload)
        bytes.withUnsafeMutableBytes {
            remove(from: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
        return start
    }

    /// Unmasks the next bytes of the payload, eight at a time.
    mutating func remove(from bytes: UnsafeMutableRawBufferPointer) {
        let pattern = UInt64(key) << 32 | UInt64(key)
        let count = bytes.count
        let wordsEnd = count & ~7
        var index = 0
        while index < wordsEnd {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(
                of: word ^ pattern.littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            bytes[index] ^= UInt8(truncatingIfNeeded: pattern >> (8 * (index - wordsEnd)))
            index += 1
        }
        let turn = UInt32(8 * (count & 3))
        key = key >> turn | key << (32 - turn)
    }
}
