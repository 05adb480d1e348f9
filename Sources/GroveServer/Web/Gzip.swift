import CZlib

/// The gzip format (RFC 1952), for files that are compressed once and sent often.
enum Gzip {
    /// The bytes, compressed as well as it can be done.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        // Sixteen more bits of the window mean a header of gzip.
        let windowBits = 15 + 16
        let size = Int32(MemoryLayout<z_stream>.size)
        let status = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, Int32(windowBits), 9, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, size)
        precondition(status == Z_OK, "zlib has memory for one stream")
        defer { deflateEnd(&stream) }
        let room = Int(deflateBound(&stream, UInt(bytes.count)))
        return bytes.withUnsafeBufferPointer { bytes in
            [UInt8](unsafeUninitializedCapacity: room) { target, count in
                stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
                stream.avail_in = UInt32(bytes.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(room)
                let status = deflate(&stream, Z_FINISH)
                precondition(status == Z_STREAM_END, "the bound holds for all bytes")
                count = room - Int(stream.avail_out)
            }
        }
    }
}
