/// The failure of an effect of a hosted machine, as it is stored.
public struct HostedEffectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The description of the thrown error.
    public let reason: String

    /// An error with this reason.
    public init(reason: String) { self.reason = reason }

    /// The reason.
    public var description: String { reason }
}
