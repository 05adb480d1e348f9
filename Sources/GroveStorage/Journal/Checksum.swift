import CZlib
import GroveEngine

/// The CRC-32 of a row, by zlib. It finds faults of disks and memory, not forgery. An integer is
/// added as eight bytes, least significant first.
struct Checksum {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        value = UInt32(crc32_z(UInt(value), start, bytes.count))
    }

    mutating func add(_ first: Int64) {
        withUnsafeBytes(of: first.littleEndian) { add($0) }
    }

    /// Adds two integers in one call.
    mutating func add(_ first: Int64, _ second: Int64) {
        withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { add($0) }
    }
}
