/// Why an event could not be read.
public struct EventError: Error, Sendable, Equatable {
    /// The JSON path of the offending value from the line's root, such as `$.event.amount`.
    public let path: String
    /// What is wrong there, for people.
    public let message: String
    /// What would do, if known.
    public let expected: String?

    /// An error at a place of the event.
    public init(path: String, message: String, expected: String?) {
        self.path = path
        self.message = message
        self.expected = expected
    }
}
