#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The value of a secret. Nothing that describes, mirrors or encodes values can show it, and its
/// memory is overwritten before it is freed. What libcurl copies for a request isn't.
package final class SecretValue: Sendable, CustomStringConvertible, CustomReflectable {
    private let address: UInt
    let count: Int

    /// Reads the value from a file: its bytes without a line's end after them.
    ///
    /// - Parameters:
    ///   - path: The file's path, for messages.
    ///   - name: The path to open it by; `nil` for the same.
    ///   - folder: The open folder in which `name` is; of the process if none is given.
    /// - Throws: `SecretProblem` for a file that can't be read or that other users can, and for a
    ///   value that no header can have.
    convenience init(
        path: String, _ name: String? = nil, in folder: Int32 = AT_FDCWD
    ) throws(SecretProblem) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.bytesMax + 3, alignment: 1)
        defer {
            Self.overwrite(buffer)
            buffer.deallocate()
        }
        var bytes = UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(buffer)[
                ..<(try Self.read(path, name ?? path, in: folder, into: buffer))])
        for end in "\n\r".utf8 where bytes.last == end {
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
        }
        try self.init(bytes, of: path)
    }

    /// A value of these bytes; `place` is for messages.
    init(_ bytes: UnsafeRawBufferPointer, of place: String) throws(SecretProblem) {
        guard !bytes.isEmpty else { throw SecretProblem("\(place) is empty") }
        guard bytes.count <= Self.bytesMax else {
            throw SecretProblem("\(place) has more than \(Self.bytesMax) bytes")
        }
        guard !bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
            throw SecretProblem("\(place) has more than one line")
        }
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw SecretProblem("\(place) has a character that isn't printable ASCII")
        }
        // A server that sends it back would send less than that, which wouldn't be recognized.
        guard bytes.first != 0x20, bytes.last != 0x20 else {
            throw SecretProblem("\(place) begins or ends with a blank")
        }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyMemory(from: bytes)
        address = UInt(bitPattern: copy.baseAddress)
        count = bytes.count
    }

    deinit {
        let memory = UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(bitPattern: address), count: count)
        Self.overwrite(memory)
        memory.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
    }

    package var description: String { "[secret]" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Overwrites memory, even if nothing reads it afterwards.
    static func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress else { return }
        #if canImport(Darwin)
            _ = memset_s(start, memory.count, 0, memory.count)
        #else
            explicit_bzero(start, memory.count)
        #endif
    }

    /// Reads a file and returns the number of bytes, at most those of the buffer.
    private static func read(
        _ path: String, _ name: String, in folder: Int32,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SecretProblem) -> Int {
        func problem() -> SecretProblem {
            SecretProblem("\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        // Opening a pipe would wait for its writer.
        let fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard fd >= 0 else { throw problem() }
        defer { close(fd) }
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw problem() }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SecretProblem("\(path) is no file")
        }
        guard status.st_mode & 0o027 == 0 else {
            throw SecretProblem(
                "\(path) can be read or changed by other users; allow it to its owner only "
                    + "(chmod 600)")
        }
        var count = 0
        while count < buffer.count {
            let free = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            #if canImport(Darwin)
                let read = Darwin.read(fd, free.baseAddress, free.count)
            #else
                let read = Glibc.read(fd, free.baseAddress, free.count)
            #endif
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw problem() }
            if read == 0 { break }
            count += read
        }
        return count
    }
}
