import CZlib
import GroveEngine

/// zlib's CRC-32 over a row: against faults of disks and memory, not against forgery. Integers
/// go in as eight bytes, least significant first.
struct Checksum {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        value = UInt32(crc32_z(UInt(value), start, bytes.count))
    }

    mutating func add(_ first: Int64) {
        withUnsafeBytes(of: first.littleEndian) { add($0) }
    }

    /// The same as adding one after the other, in one call.
    mutating func add(_ first: Int64, _ second: Int64) {
        withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { add($0) }
    }
}
