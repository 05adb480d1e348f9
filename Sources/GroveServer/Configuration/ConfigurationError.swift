/// All errors of a configuration. The process ends with exit code 78.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// At least one.
    public let problems: [ConfigurationProblem]

    init(_ problems: [ConfigurationProblem]) {
        precondition(!problems.isEmpty, "an error without a problem")
        self.problems = problems
    }

    /// An error of a value; its key and place are added later.
    init(_ message: String) { self.init([ConfigurationProblem(message)]) }

    /// The exit code.
    public var exitCode: Int32 { ServerExitCode.configuration.rawValue }

    /// One line per problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
