/// The checksum of zlib, gzip and PNG: tells of bytes that were changed on the way by accident.
public enum CRC32 {
    /// What the register becomes for each lowest byte.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { register, _ in
            register & 1 != 0 ? register >> 1 ^ 0xEDB8_8320 : register >> 1
        }
    }

    /// The checksum of some bytes.
    public static func of(_ bytes: [UInt8]) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                var register = UInt32.max
                for byte in bytes {
                    register =
                        register >> 8 ^ table[Int(UInt8(truncatingIfNeeded: register) ^ byte)]
                }
                return ~register
            }
        }
    }
}
