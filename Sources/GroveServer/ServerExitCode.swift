import Glibc
import GroveEngine

/// The exit codes of the process (cli.md, "Exit codes"), with the values of sysexits.h.
public enum ServerExitCode: Int32, Sendable, CaseIterable {
    /// A clean stop.
    case clean = 0
    /// Wrong usage of the command line.
    case usage = 64
    /// The data file is refused.
    case dataRefused = 65
    /// The data file is owned by another server.
    case owned = 73
    /// An I/O error: the outcome of unacknowledged requests is unknown.
    case inputOutput = 74
    /// Wrong configuration.
    case configuration = 78

    /// The exit code for a store that can't be trusted any more.
    public init(_ error: StoreError) {
        switch error {
        case .corrupt: self = .dataRefused
        case .full, .tooLarge, .inputOutput: self = .inputOutput
        }
    }

    /// Ends the process now, without further code.
    public func exit() -> Never { _exit(rawValue) }
}
