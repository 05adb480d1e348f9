public import OrderedJSON

/// The outcome of an attempt, or a result that it emits before its end.
public struct EffectReport: Sendable {
    /// What happened.
    public enum Outcome: Sendable {
        /// The attempt has emitted a result and continues. The number counts results from 1 over
        /// all attempts; the engine skips one that it has applied before.
        case emitted(JSONValue, number: Int)
        /// The attempt has completed with this result.
        case completed(JSONValue)
        /// The attempt has failed.
        case failed(reason: String, isPermanent: Bool)
        /// The attempt has ended after its cancellation.
        case cancelled
    }

    public var ref: EffectRef
    /// The instance's name.
    public var owner: InstanceName
    public var handler: String
    /// The number of the attempt.
    public var attempt: Int
    /// The least time after a failed attempt until the next one, in milliseconds.
    public var pause: Int64 = 0
    /// What happened.
    public var outcome: Outcome
    /// Called once, when the report is committed or discarded, with whether it was applied.
    public var answer: (@Sendable (Bool) -> Void)?

    /// A report of an attempt.
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

    /// Whether it is the attempt's last one.
    var isLast: Bool {
        if case .emitted = outcome { false } else { true }
    }
}
