/// A failed attempt, after which the called service has asked for a pause.
public struct RetryLater: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason.
    public let reason: String
    /// The shortest pause until the next attempt, if the effect's ``RetryPolicy`` has one; at most
    /// a day.
    public let pause: Duration

    /// A failed attempt with this reason.
    public init(_ reason: String, after pause: Duration) {
        self.reason = reason
        self.pause = min(max(.zero, pause), .seconds(86_400))
    }

    /// The reason.
    public var description: String { reason }
}
