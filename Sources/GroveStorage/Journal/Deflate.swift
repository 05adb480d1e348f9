import CZlib
import GroveEngine

/// zlib compression of large rows. Small ones stay as they are, because compressing costs more
/// than it saves there (docs/decisions/0002-journal-blocks-and-compression.md).
///
/// One stream is kept for all calls: setting up a fresh one costs more than a small row takes.
final class Deflate {
    /// What a row may inflate to, whatever it declares.
    static let inflatedBytesMax = Limits.storedRowBytesMax

    /// zlib's fastest level: higher ones take twice the time for a few percent.
    private static let level: Int32 = 1

    /// Rows from this size on are judged by a part of them first: to compress a megabyte that is
    /// hardly repetitive takes some twenty milliseconds, in which nobody else is answered.
    static let judgedBytesMin = 128 << 10

    /// The part, from the row's middle: as much as deflate looks back.
    private static let judgedBytes = 32 << 10

    private let stream: UnsafeMutablePointer<z_stream>
    private var isReady = false
    private var output = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isReady { deflateEnd(stream) }
        stream.deallocate()
        output.deallocate()
    }

    /// The compressed bytes, valid until the next call, or `nil` when they would not be at least
    /// an eighth smaller. Of a large row a part has to become smaller by half.
    func compress(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.count <= Deflate.inflatedBytesMax else { return nil }
        if bytes.count >= Deflate.judgedBytesMin {
            let begin = (bytes.count - Deflate.judgedBytes) / 2
            let part = UnsafeRawBufferPointer(
                rebasing: bytes[begin..<begin + Deflate.judgedBytes])
            guard compress(part, into: part.count / 2) != nil else { return nil }
        }
        return compress(bytes, into: bytes.count - bytes.count / 8)
    }

    /// The compressed bytes, or `nil` when they are more than there is room for.
    private func compress(
        _ bytes: UnsafeRawBufferPointer, into room: Int
    ) -> UnsafeRawBufferPointer? {
        guard prepare() else { return nil }
        if output.count < room {
            output.deallocate()
            output = .allocate(capacity: room)
        }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(bytes.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(room)
        guard deflate(stream, Z_FINISH) == Z_STREAM_END else { return nil }
        let count = room - Int(stream.pointee.avail_out)
        return UnsafeRawBufferPointer(start: output.baseAddress, count: count)
    }

    private func prepare() -> Bool {
        if isReady { return deflateReset(stream) == Z_OK }
        let size = Int32(MemoryLayout<z_stream>.size)
        isReady = deflateInit_(stream, Deflate.level, ZLIB_VERSION, size) == Z_OK
        return isReady
    }

    /// The plain bytes of a compressed row, of which exactly `size` are expected.
    ///
    /// - Throws: `.corrupt` when there are more or fewer, when bytes follow the end, or when
    ///   `size` is out of bounds. Never writes more than `size` bytes.
    static func inflate(
        _ bytes: UnsafeRawBufferPointer, size: Int64
    ) throws(StoreError) -> [UInt8] {
        guard size > 0, size <= inflatedBytesMax else {
            throw .corrupt("a row declares \(size) bytes when inflated")
        }
        var isWhole = false
        let plain = [UInt8](unsafeUninitializedCapacity: Int(size)) { target, count in
            isWhole = inflateAll(bytes, into: target)
            count = isWhole ? Int(size) : 0
        }
        guard isWhole else { throw .corrupt("a compressed row does not inflate to its size") }
        return plain
    }

    private static func inflateAll(
        _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit_(&stream, ZLIB_VERSION, size) == Z_OK else { return false }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.avail_in = UInt32(bytes.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return CZlib.inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
            && stream.avail_out == 0
    }
}
