/// A failed try: the service that was called has said when to come back.
public struct RetryLater: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String
    /// The next try, if the effect's ``RetryPolicy`` has one, isn't made before this is over; a
    /// day at most.
    public let pause: Duration

    /// A failed try with this reason.
    public init(_ reason: String, after pause: Duration) {
        self.reason = reason
        self.pause = min(max(.zero, pause), .seconds(86_400))
    }

    /// What is wrong.
    public var description: String { reason }
}
