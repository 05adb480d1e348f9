public import OrderedJSON

/// What a try has come to, or has given so far.
public struct EffectReport: Sendable {
    /// What happened.
    public enum Outcome: Sendable {
        /// It has given a result and goes on. The number counts its results from 1 over all
        /// tries; one that was applied before is passed over.
        case emitted(JSONValue, number: Int)
        /// It is over, with this result.
        case completed(JSONValue)
        /// It has failed.
        case failed(reason: String, isPermanent: Bool)
        /// It was cancelled, as the engine had wanted, and is over.
        case cancelled
    }

    /// Whose it is.
    public var ref: EffectRef
    /// The instance's name.
    public var owner: InstanceName
    /// The handler.
    public var handler: String
    /// Which try it was.
    public var attempt: Int
    /// Milliseconds after a failed try before which there is no further one.
    public var pause: Int64 = 0
    /// What happened.
    public var outcome: Outcome
    /// Told once when the report is committed, or doesn't count: whether it was applied.
    public var answer: (@Sendable (Bool) -> Void)?

    /// A report about a try.
    public init(
        _ dispatch: EffectDispatch, _ outcome: Outcome, answer: (@Sendable (Bool) -> Void)? = nil
    ) {
        ref = dispatch.ref
        owner = dispatch.owner
        handler = dispatch.handler
        attempt = dispatch.attempt
        self.outcome = outcome
        self.answer = answer
    }
}
