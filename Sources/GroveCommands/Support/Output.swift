import ArgumentParser

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Standard output for data, standard error for everything else; both without a buffer, so that
/// a line is out when the call returns.
enum Output {
    private static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    private static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    /// Whether both outputs go to a terminal, so that a person sees what either says.
    static let areBothTerminals = isOutputTerminal && isErrorTerminal

    /// Writes one line of text, or several. Whatever it holds, it doesn't take a terminal over.
    ///
    /// - Throws: success as an `ExitCode` when nobody reads any more, so that `grove … | head`
    ///   ends quietly; `EX_IOERR`, with a sentence on standard error, when the output can't be
    ///   written.
    static func line(_ text: String) throws(ExitCode) {
        try write(Array((isOutputTerminal ? TerminalText.lines(text) : text).utf8))
    }

    /// Writes one line of JSON. On a terminal it is the same value, and harmless.
    static func line(_ json: [UInt8]) throws(ExitCode) {
        try write(isOutputTerminal ? TerminalText.json(json) : json)
    }

    private static func write(_ bytes: [UInt8]) throws(ExitCode) {
        switch write(bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO) {
        case 0: return
        case EPIPE: throw ExitCode.success
        case let number:
            note("error: standard output: \(String(cString: strerror(number)))")
            throw ExitCode(EX_IOERR)
        }
    }

    /// Writes one line for people. If that fails there is nobody to tell.
    static func note(_ text: String) {
        let named = ProgramName.inserted(into: text)
        let text = isErrorTerminal ? TerminalText.lines(named) : named
        _ = write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes text of this program's own for people, as it is and without ending the line.
    static func raw(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// Writes all bytes; the error number, or 0.
    static func write(_ bytes: [UInt8], to fd: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let slice = UnsafeRawBufferPointer(rebasing: rest)
                #if canImport(Glibc)
                    let count = Glibc.write(fd, slice.baseAddress, slice.count)
                #else
                    let count = Darwin.write(fd, slice.baseAddress, slice.count)
                #endif
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
