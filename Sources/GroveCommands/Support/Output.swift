import ArgumentParser
import Glibc

/// Writes data to standard output and all else to standard error. There is no buffer: a line is
/// written when the call returns.
enum Output {
    private static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    private static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    /// Whether both outputs go to a terminal, so that a person sees both.
    static let areBothTerminals = isOutputTerminal && isErrorTerminal

    /// Opens those of the three standard descriptors that are closed, for nothing. Otherwise the
    /// next file that is opened gets such a number, and what is printed is written into it.
    static func holdNumbers() {
        while true {
            // Writing fails with an error, as to a closed one.
            let descriptor = open("/dev/null", O_RDONLY)
            guard descriptor >= 0, descriptor <= STDERR_FILENO else {
                close(descriptor)
                return
            }
        }
    }

    /// Writes one line of text, or several. Control characters in it can't take over a terminal.
    ///
    /// - Throws: `.success` when the reader is gone, so that `grove … | head` ends quietly;
    ///   `.inputOutput`, with a sentence on standard error, when the output can't be written.
    static func line(_ text: String) throws(ExitCode) {
        try write(Array((isOutputTerminal ? TerminalText.lines(text) : text).utf8))
    }

    /// Writes one line of JSON; on a terminal the same value with control characters escaped.
    static func line(_ json: [UInt8]) throws(ExitCode) {
        try write(isOutputTerminal ? TerminalText.json(json) : json)
    }

    private static func write(_ bytes: [UInt8]) throws(ExitCode) {
        switch write(bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO) {
        case 0: return
        case EPIPE: throw ExitCode.success
        case let number:
            errno = number
            throw ExitCode.systemError("standard output", .inputOutput)
        }
    }

    /// Writes one line for people. A failure can't be reported.
    static func note(_ text: String) {
        let named = ProgramName.inserted(into: text)
        let text = isErrorTerminal ? TerminalText.lines(named) : named
        _ = write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes this program's own text for people, unchanged and without a newline.
    static func raw(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// Writes all bytes; returns the error number, or 0.
    static func write(_ bytes: [UInt8], to fd: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let slice = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(fd, slice.baseAddress, slice.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var wait = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
                    poll(&wait, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }
}
