/// A fast hash of short byte strings, without a key: its tables are bounded and compare bytes, so
/// an attacker can at most slow down one table of 256, which is the attacker's own.
package enum ByteHash {
    /// The hash of some bytes; the same in every process.
    @inlinable
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(&hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        mix(&hash, rest)
        return hash ^ (hash >> 32)
    }

    @inlinable
    static func mix(_ hash: inout UInt64, _ word: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        hash = product.high ^ product.low &+ 0x9E37_79B9_7F4A_7C15
    }
}
