/// An error in a configuration: the key, the message and the place.
public struct ConfigurationProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key, as it was written; `nil` for an error of a whole file.
    public let key: String?
    /// What is wrong, and which values are allowed.
    public let message: String
    /// Where it stands, for people; `nil` where there is no place.
    public let place: String?

    init(key: String?, message: String, place: String? = nil) {
        self.key = key
        self.message = message
        self.place = place
    }

    /// Key, message and place in one line.
    public var description: String {
        (key.map { "\($0): " } ?? "") + message + (place.map { " (\($0))" } ?? "")
    }
}

/// All errors of a configuration. The process ends with exit code 78.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// At least one.
    public let problems: [ConfigurationProblem]

    init(_ problems: [ConfigurationProblem]) {
        precondition(!problems.isEmpty, "an error without a problem")
        self.problems = problems
    }

    /// An error of a value; its key and place are added later.
    init(_ message: String) { self.init([ConfigurationProblem(key: nil, message: message)]) }

    /// The exit code.
    public var exitCode: Int32 { ServerExitCode.configuration.rawValue }

    /// One line per problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
