import Glibc

/// Appends every acknowledged event to a file, one JSON object per line:
/// `{"to":"counter/bench-0000012","v":17,"dedup":"r-0-0000000005"}`.
///
/// A test that kills the server compares the file with the server's history. Only whole lines are
/// written, up to 64 KiB at once and at least once per second.
struct AckRecorder: ~Copyable {
    private let fd: Int32
    private var buffer: [UInt8] = []

    /// Opens the file for appending, and creates it if needed; `nil` when that fails.
    init?(path: String) {
        fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard fd >= 0 else { return nil }
        buffer.reserveCapacity(1 << 16)
    }

    deinit { close(fd) }

    /// Adds an event with the reply in `line`.
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

    /// Writes the buffer. A failure ends the process: without all events the comparison would be
    /// wrong.
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
