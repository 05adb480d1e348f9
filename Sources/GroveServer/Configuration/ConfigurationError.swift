/// A configuration that can't be used: the key, where it stands, and what would do. The process
/// ends with exit code 78.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key; `nil` when the file as a whole is meant.
    public let key: String?
    /// What is wrong, and what would do.
    public let message: String

    /// The exit code.
    public var exitCode: Int32 { ServerExitCode.configuration.rawValue }

    /// Key and message.
    public var description: String { key.map { "\($0): \(message)" } ?? message }
}
