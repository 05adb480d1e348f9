#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Appends every acknowledged event to a file, one JSON object a line:
/// `{"to":"counter/bench-0000012","v":17,"dedup":"r-0-0000000005"}`.
///
/// A test that kills the server compares this with the server's history. Lines are written whole,
/// in pieces of up to 64 KiB and at least once a second.
struct AckRecorder: ~Copyable {
    private let fd: Int32
    private var buffer: [UInt8] = []

    /// Opens the file for appending and makes it if it isn't there; `nil` when that fails.
    init?(path: String) {
        fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard fd >= 0 else { return nil }
        buffer.reserveCapacity(1 << 16)
    }

    deinit { close(fd) }

    /// Adds the reply in `line` to an event.
    mutating func record(
        _ line: UnsafeRawBufferPointer, name: [UInt8], dedup: [UInt8]?, isDuplicate: Bool
    ) {
        buffer += Array("{\"to\":\"".utf8)
        buffer += name
        buffer += Array("\",\"v\":".utf8)
        if let version = ReplyLine.value(in: line, after: "\"v\":", until: ",}") {
            buffer += version
        } else {
            buffer += Array("null".utf8)
        }
        if let dedup {
            buffer += Array(",\"dedup\":\"".utf8)
            buffer += dedup
            buffer.append(UInt8(ascii: "\""))
        }
        if isDuplicate { buffer += Array(",\"dup\":true".utf8) }
        buffer += Array("}\n".utf8)
        if buffer.count >= 60_000 { flush() }
    }

    /// Writes what is waiting. An event that can't be recorded would make the comparison wrong,
    /// so the file must take it.
    mutating func flush() {
        var start = 0
        while start < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                write(fd, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            }
            precondition(count > 0 || errno == EINTR, "the record file can't be written")
            start += max(0, count)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
