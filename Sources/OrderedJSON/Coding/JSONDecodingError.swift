/// The reason why a value couldn't be decoded from JSON.
public struct JSONDecodingError: Error, Sendable, Hashable {
    /// The path to the fault from the document's root, such as `$.event.amount`. For a missing
    /// member it is the path that the member would have.
    public let path: String
    /// The message for people: what was expected and what was found.
    public let message: String
    /// What would be right, such as `an integer from 0 to 255`; nil where that isn't known.
    public let expected: String?
    /// The missing member; nil if the fault is another one.
    public let missing: MissingMember?

    /// An error at `path`.
    public init(
        path: String, message: String, expected: String? = nil, missing: MissingMember? = nil
    ) {
        self.path = path
        self.message = message
        self.expected = expected
        self.missing = missing
    }
}

extension JSONDecodingError: CustomStringConvertible {
    /// The message and the path, for logs and test failures.
    public var description: String { "\(message) (at \(path))" }
}
