import ArgumentParser
import Glibc

/// The exit codes of `grove --help`, with the values of sysexits.h. Wrong usage is
/// `ExitCode.validationFailure`.
extension ExitCode {
    /// The server refused, or the answer is no.
    static let refused = ExitCode(1)
    /// Lines of a file are broken, or a data file is damaged.
    static let dataError = ExitCode(EX_DATAERR)
    /// There is no such file.
    static let noInput = ExitCode(EX_NOINPUT)
    /// No server answers; nothing was sent.
    static let unavailable = ExitCode(EX_UNAVAILABLE)
    /// An error in this program, or the other side is no Grove server.
    static let software = ExitCode(EX_SOFTWARE)
    /// A file can't be created.
    static let cannotCreate = ExitCode(EX_CANTCREAT)
    /// A file, or standard output, can't be read or written.
    static let inputOutput = ExitCode(EX_IOERR)
    /// The server is busy, or the outcome is unknown: try again.
    static let temporary = ExitCode(EX_TEMPFAIL)

    /// Prints the system's present error about a file, and returns `code` to throw.
    ///
    /// - Parameter format: Where `--json` stands, so that programs get the error too.
    static func systemError(
        _ name: String, _ code: ExitCode, _ format: FormatFlags? = nil
    ) -> ExitCode {
        let message = "\(name): \(String(cString: strerror(errno)))"
        Output.note("error: \(message)")
        format?.showFailure(code, message)
        return code
    }
}
