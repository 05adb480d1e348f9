import ArgumentParser
import Glibc
import GroveClient

/// A file with a token, which nobody but its user can read.
enum TokenFile {
    /// Reads a token; one newline at its end isn't part of it.
    ///
    /// - Throws: A `ValidationError` for a file that others can read, or without a token; an exit
    ///   code, with a sentence on standard error, for one that can't be read.
    static func read(_ path: String, _ format: FormatFlags) throws -> ClientToken {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ExitCode.systemError(path, .noInput, format) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw ExitCode.systemError(path, .inputOutput, format)
        }
        guard status.st_mode & (S_IRWXG | S_IRWXO) == 0 else {
            throw ValidationError(
                "other users can read the token in \(path), or change it: chmod 600 \(path)")
        }
        // A pipe, as of a shell's <(…), may have nothing yet.
        _ = fcntl(descriptor, F_SETFL, 0)
        guard let bytes = InputFile.bytes(of: descriptor, bytesMax: bytesMax) else {
            throw ExitCode.systemError(path, .inputOutput, format)
        }
        guard let token = token(in: bytes) else {
            throw ValidationError(
                "\(path) holds no token: one line, as 'grove token create' shows it.")
        }
        return token
    }

    /// The token of a file's bytes; `nil` if they are something else.
    static func token(in bytes: [UInt8]) -> ClientToken? {
        let newline = UInt8(ascii: "\n")
        let text = bytes.last == newline ? bytes.dropLast() : bytes[...]
        let isToken = text.allSatisfy { (0x21...0x7E).contains($0) }
        guard !text.isEmpty, text.count < bytesMax, isToken else { return nil }
        return ClientToken(String(decoding: text, as: UTF8.self))
    }
}
