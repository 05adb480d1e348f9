/// Writes stored values (``ByteCoding``) into room that was made for all of them at once: each
/// costs a look at that room, and no growth of an array.
struct ByteWriter: ~Copyable {
    /// An integer has at most this many bytes.
    static let integerBytes = 10

    /// A hash has as many.
    static let hashBytes = 16

    private let room: UnsafeMutableRawBufferPointer
    fileprivate private(set) var count = 0

    fileprivate init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        // A buffer checks its bounds only in debug builds.
        precondition(count < room.count, "there is room for all that is written")
        room[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        append(UInt8(truncatingIfNeeded: value))
    }

    @inline(__always)
    mutating func append(_ value: Int64) {
        precondition(value >= 0, "stored integers are never negative")
        append(UInt64(bitPattern: value))
    }

    /// Appends both halves, the upper one first, each least significant byte first.
    @inline(__always)
    mutating func append(_ hash: EventHash) {
        withUnsafeBytes(of: (hash.high.littleEndian, hash.low.littleEndian)) { append(raw: $0) }
    }

    /// Appends bytes after their length.
    @inline(__always)
    mutating func append(_ content: [UInt8]) {
        append(UInt64(content.count))
        content.withUnsafeBytes { append(raw: $0) }
    }

    /// Appends the bytes of a text after their length.
    @inline(__always)
    mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        // Swift's own strings are read in place.
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable {
            append(raw: UnsafeRawBufferPointer($0))
        }
        if isWritten == nil { for byte in text.utf8 { append(byte) } }
    }

    /// Appends bytes without their length.
    @inline(__always)
    mutating func append(raw bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        precondition(bytes.count <= room.count - count, "there is room for all that is written")
        UnsafeMutableRawBufferPointer(rebasing: room[count..<(count + bytes.count)])
            .copyMemory(from: bytes)
        count += bytes.count
    }
}

extension [UInt8] {
    /// Appends what `write` writes, at most `room` bytes.
    @inline(__always)
    mutating func append(atMost room: Int, _ write: (inout ByteWriter) -> Void) {
        append(addingCapacity: room) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                let free = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                var writer = ByteWriter(free)
                write(&writer)
                count += writer.count
            }
        }
    }
}
