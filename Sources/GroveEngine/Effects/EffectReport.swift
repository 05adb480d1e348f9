public import OrderedJSON

/// The outcome of an attempt, or a result that it emits before its end.
public struct EffectReport: Sendable {
    /// What happened.
    public enum Outcome: Sendable {
        /// The attempt has emitted a result and continues. The number counts results from 1 over
        /// all attempts; the engine skips one that it has applied before.
        case emitted(JSONValue, number: Int)
        case completed(JSONValue)
        case failed(reason: String, isPermanent: Bool)
        case cancelled
    }

    public var ref: EffectRef
    public var owner: InstanceName
    public var handler: String
    public var attempt: Int
    /// The least time after a failed attempt until the next one, in milliseconds.
    public var pause: Int64 = 0
    public var outcome: Outcome
    /// Called once, when the report is committed or discarded, with whether it was applied.
    public var answer: (@Sendable (Bool) -> Void)?

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
