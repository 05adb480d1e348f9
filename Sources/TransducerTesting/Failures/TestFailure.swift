import Testing

/// A wrong statement of a test, and its place.
public struct TestFailure: Sendable {
    /// Several lines for people: what was expected, what happened, what to do.
    public let message: String

    /// The place in the test that made the statement.
    public let place: SourceLocation

    /// A failure with this message at this place.
    public init(_ message: String, at place: SourceLocation) {
        self.message = message
        self.place = place
    }
}

extension TestFailure: Equatable {
    /// Equal failures have the same message, file and line; columns change with the formatting.
    public static func == (left: TestFailure, right: TestFailure) -> Bool {
        left.message == right.message && left.place.line == right.place.line
            && left.place.fileID == right.place.fileID
    }
}
