import ArgumentParser
import GroveEngine

extension StoreOpenError {
    /// Prints the error of a data file; returns the exit code to throw.
    func report(_ style: Style) -> ExitCode {
        Output.note(style.paint("error:", .bad) + " " + style.safe("\(self)"))
        if case .unusablePath = self { return .noInput }
        return ExitCode(exitCode)
    }

    /// As ``report(_:)``, with a hint about a file that a server has open.
    ///
    /// - Parameter use: What the command does with a copy, such as `check that`.
    func report(_ style: Style, copyTo use: String) -> ExitCode {
        let code = report(style)
        if case .owned = self {
            let hint = style.paint("hint:", .accent)
            Output.note("\(hint) make a copy with 'grove backup FILE', and \(use)")
        }
        return code
    }
}
