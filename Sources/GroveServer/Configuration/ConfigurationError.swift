/// One thing that is wrong with a configuration: the key, what is wrong and what would do, and
/// where it stands.
public struct ConfigurationProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key, as it was written; `nil` when a file as a whole is meant.
    public let key: String?
    /// What is wrong, and what would do.
    public let message: String
    /// Where it stands, for people; `nil` where there is no place.
    public let place: String?

    /// Puts the three together.
    public init(key: String?, message: String, place: String? = nil) {
        self.key = key
        self.message = message
        self.place = place
    }

    /// Key, message and place in one line.
    public var description: String {
        (key.map { "\($0): " } ?? "") + message + (place.map { " (\($0))" } ?? "")
    }
}

/// A configuration that can't be used, with everything that is wrong with it. The process ends
/// with exit code 78.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, at least one thing.
    public let problems: [ConfigurationProblem]

    /// An error of these problems.
    public init(_ problems: [ConfigurationProblem]) {
        precondition(!problems.isEmpty, "an error tells what is wrong")
        self.problems = problems
    }

    /// The exit code.
    public var exitCode: Int32 { ServerExitCode.configuration.rawValue }

    /// One line a problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
