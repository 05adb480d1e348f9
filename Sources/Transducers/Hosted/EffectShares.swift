import OrderedJSON

/// How the runs of one handler share its places, so that those that hang together, say because one
/// host doesn't answer, leave the others theirs.
public struct EffectShares: Sendable {
    /// Runs of one share that may be under way at once; at most as many as of the handler.
    public let runsMax: Int
    /// Which share a run with this argument belongs to, at most 256 bytes in one line; `nil` for
    /// none. Always the same for the same argument. A run without a share is bounded by the
    /// handler alone.
    public let name: @Sendable (_ argument: JSONValue) -> String?

    /// Shares of at most `max` runs.
    public init(runsMax: Int, name: @escaping @Sendable (_ argument: JSONValue) -> String?) {
        self.runsMax = max(1, runsMax)
        self.name = name
    }
}
