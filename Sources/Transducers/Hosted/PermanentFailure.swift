/// A failure after which no further attempt can succeed.
public struct PermanentFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason.
    public let reason: String

    /// A failure with this reason.
    public init(_ reason: String) { self.reason = reason }

    /// The reason.
    public var description: String { reason }
}
