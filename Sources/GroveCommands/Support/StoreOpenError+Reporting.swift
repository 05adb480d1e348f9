import ArgumentParser
import GroveEngine

extension StoreOpenError {
    /// Prints the error of a data file; returns the exit code to throw.
    func report(_ style: Style) -> ExitCode {
        Output.note(style.paint("error:", .bad) + " " + style.safe("\(self)"))
        if case .unusablePath = self { return .noInput }
        return ExitCode(exitCode)
    }
}
