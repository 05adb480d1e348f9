/// The reason why an event can't be decoded.
public struct EventError: Error, Sendable, Equatable {
    /// The JSON path of the value from the line's root, such as `$.event.amount`.
    public let path: String
    /// The problem, for people.
    public let message: String
    /// The expected value, if known.
    public let expected: String?

    /// An error at a path.
    public init(path: String, message: String, expected: String?) {
        self.path = path
        self.message = message
        self.expected = expected
    }
}
