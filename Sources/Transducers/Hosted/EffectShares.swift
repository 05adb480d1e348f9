import OrderedJSON

/// Divides the attempts of a handler into shares, so that a share that hangs, for example because
/// its host doesn't answer, doesn't block the others.
public struct EffectShares: Sendable {
    /// The attempts of one share that may run at once; at most those of the handler.
    public let runsMax: Int
    /// The share of an argument, at most 256 bytes in one line; `nil` for none. Always the same for
    /// the same argument. Without a share, only the handler's bound applies.
    public let name: @Sendable (_ argument: JSONValue) -> String?

    /// Shares of at most `max` attempts.
    public init(runsMax: Int, name: @escaping @Sendable (_ argument: JSONValue) -> String?) {
        self.runsMax = max(1, runsMax)
        self.name = name
    }
}
