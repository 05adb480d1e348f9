/// A failure that trying again doesn't mend.
public struct PermanentFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String

    /// For this reason.
    public init(_ reason: String) { self.reason = reason }

    /// What is wrong.
    public var description: String { reason }
}
