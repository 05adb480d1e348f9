import ArgumentParser
import GroveEngine

extension StoreOpenError {
    /// Prints the error of a data file, and with `--json` writes it for programs; returns the exit
    /// code to throw.
    func report(_ format: FormatFlags) -> ExitCode {
        let style = format.noteStyle
        Output.note(style.paint("error:", .bad) + " " + style.safe("\(self)"))
        let code = if case .unusablePath = self { ExitCode.noInput } else { ExitCode(exitCode) }
        // Another program has it open now.
        let isRetryable = if case .owned = self { true } else { false }
        format.showFailure(code, "\(self)", isRetryable: isRetryable)
        return code
    }

    /// As ``report(_:)``, with a hint about a file that a server has open.
    ///
    /// - Parameter use: What the command does with a copy, such as `check that`.
    func report(_ format: FormatFlags, copyTo use: String) -> ExitCode {
        let code = report(format)
        if case .owned = self {
            let hint = format.noteStyle.paint("hint:", .accent)
            Output.note("\(hint) make a copy with 'grove backup FILE', and \(use)")
        }
        return code
    }
}
