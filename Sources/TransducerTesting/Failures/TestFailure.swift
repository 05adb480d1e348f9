/// What a test was wrong about, and where it said so.
public struct TestFailure: Sendable, Equatable {
    /// Several lines for people: what was expected, what happened, what to do.
    public let message: String

    /// The place in the test that made the statement.
    public let place: SourcePlace

    /// Puts the two together.
    public init(_ message: String, at place: SourcePlace) {
        self.message = message
        self.place = place
    }
}
