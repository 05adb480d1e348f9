import CZlib
import GroveEngine

/// Compresses large rows with zlib. Small rows stay plain, because compressing them costs more
/// than it saves (docs/decisions/0002-journal-blocks-and-compression.md).
///
/// One stream serves all calls: setting up a new one costs more than compressing a small row.
final class Deflate {
    /// zlib's fastest level. Higher ones take twice the time and save a few percent.
    private static let level: Int32 = 1

    /// Bytes of the part of a large row that is compressed first, from its middle: the window of
    /// deflate.
    private static let sampleBytes = 32 << 10

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

    /// Returns the compressed bytes, valid until the next call, or `nil` when they aren't at least
    /// an eighth smaller. For a large row, a sample must first become smaller by half.
    func compress(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.count <= StoreLimits.inflatedBytesMax else { return nil }
        if bytes.count >= StoreLimits.sampledBytesMin {
            let begin = (bytes.count - Deflate.sampleBytes) / 2
            let part = UnsafeRawBufferPointer(
                rebasing: bytes[begin..<begin + Deflate.sampleBytes])
            guard compress(part, into: part.count / 2) != nil else { return nil }
        }
        return compress(bytes, into: bytes.count - bytes.count / 8)
    }

    /// Returns the compressed bytes, or `nil` when they don't fit into `room` bytes.
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

    /// Returns the plain bytes of a compressed row. Writes at most `size` bytes.
    ///
    /// - Throws: `.corrupt` when there aren't exactly `size` bytes, when bytes follow the end, or
    ///   when `size` is out of bounds.
    static func inflate(
        _ bytes: UnsafeRawBufferPointer, size: Int64
    ) throws(StoreError) -> [UInt8] {
        guard size > 0, size <= StoreLimits.inflatedBytesMax else {
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
