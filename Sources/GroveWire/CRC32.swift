/// The checksum of zlib, gzip and PNG: detects accidental changes in transit.
///
/// In Swift, because clients and the protocol link no C library. The store uses zlib's, which is
/// several times faster, for the rows of each commit.
package enum CRC32 {
    /// The next value of the register, per lowest byte.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { register, _ in
            register & 1 != 0 ? register >> 1 ^ 0xEDB8_8320 : register >> 1
        }
    }

    /// The checksum of some bytes.
    package static func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { of($0) } }

    /// The checksum of some bytes, which aren't copied.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var register = UInt32.max
            for byte in bytes {
                register = register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ byte)]
            }
            return ~register
        }
    }
}
