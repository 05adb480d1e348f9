import ArgumentParser
import Glibc

/// A whole file that a command reads.
enum InputFile {
    /// Reads a file of at most a number of bytes.
    ///
    /// - Throws: `.noInput` when there is no such file, `.dataError` when it is larger, and
    ///   `.inputOutput` when it can't be read; with a sentence on standard error, and with the
    ///   `--json` of `format` also as JSON on standard output.
    static func read(
        _ path: String, bytesMax: Int, _ format: FormatFlags? = nil
    ) throws(ExitCode) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExitCode.systemError(path, .noInput, format) }
        defer { close(descriptor) }
        guard let bytes = bytes(of: descriptor, bytesMax: bytesMax) else {
            throw ExitCode.systemError(path, .inputOutput, format)
        }
        guard bytes.count <= bytesMax else {
            let message = "\(path) has more than \(bytesMax) bytes"
            Output.note("error: \(message)")
            format?.showFailure(.dataError, message)
            throw ExitCode.dataError
        }
        return bytes
    }

    /// Reads a file that lies in a folder or below it; nil if there is none, if it is larger, or
    /// if the name leads elsewhere.
    static func read(_ name: String, in folder: String, bytesMax: Int) -> [UInt8]? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == ".." }), !name.contains("\0") else {
            return nil
        }
        // A link or a device may lead elsewhere.
        let descriptor = open(
            folder + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let bytes = bytes(of: descriptor, bytesMax: bytesMax), bytes.count <= bytesMax
        else { return nil }
        return bytes
    }

    /// The bytes of a file, one more than `bytesMax` if there are more; nil if it can't be read.
    static func bytes(of descriptor: Int32, bytesMax: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= bytesMax {
            let count = Glibc.read(
                descriptor, &buffer, min(buffer.count, bytesMax + 1 - bytes.count))
            if count == 0 { break }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EINTR {
                return nil
            }
        }
        return bytes
    }
}
