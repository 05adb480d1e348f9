public import OrderedJSON
public import Transducers

/// One try of a handler that is to be made now: handed out after the commit that says so.
public struct IssuedEffect: Sendable {
    /// Whose it is.
    public var ref: EffectRef
    /// The instance's name.
    public var owner: InstanceName
    /// The handler.
    public var handler: String
    /// What it gets.
    public var argument: JSONValue
    /// Which try this is, from 1.
    public var attempt: Int
    /// How many results of earlier tries have been applied.
    public var delivered: Int
    /// Milliseconds that it may take; `nil` for what the handler says.
    public var timeout: Int64?
    /// The same for every try, in every process; no other effect has it.
    public var key: String
    /// The work itself, where it is no handler's but a closure.
    public var closure: EffectHandler?
}

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
        _ issued: IssuedEffect, _ outcome: Outcome, answer: (@Sendable (Bool) -> Void)? = nil
    ) {
        ref = issued.ref
        owner = issued.owner
        handler = issued.handler
        attempt = issued.attempt
        self.outcome = outcome
        self.answer = answer
    }
}
