/// The reason why a value couldn't be written as JSON.
public struct JSONEncodingError: Error, Sendable, Hashable {
    /// The path to the fault from the value that was to be written, such as `$.total`.
    public let path: String
    /// The message for people.
    public let message: String

    /// An error at `path`.
    public init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}

extension JSONEncodingError: CustomStringConvertible {
    /// The message and the path, for logs and test failures.
    public var description: String { "\(message) (at \(path))" }
}
