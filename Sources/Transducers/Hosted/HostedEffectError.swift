/// Why an effect of a hosted machine failed, as far as it is stored.
public struct HostedEffectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was thrown, in its own words.
    public let reason: String

    /// An error for this reason.
    public init(reason: String) { self.reason = reason }

    /// What was thrown.
    public var description: String { reason }
}
