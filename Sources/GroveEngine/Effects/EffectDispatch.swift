public import OrderedJSON
public import Transducers

/// One attempt that a handler makes now, released after the commit that records it.
public struct EffectDispatch: Sendable {
    public var ref: EffectRef
    public var owner: InstanceName
    public var handler: String
    public var argument: JSONValue
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// The number of results of earlier attempts that have been applied.
    public var delivered: Int
    /// The time limit in milliseconds; `nil` for the handler's own.
    public var timeout: Int64?
    /// The idempotency key: the same for each attempt in each process, and for no other effect.
    public var key: String
    /// The `traceparent` of the request that caused the effect; `nil` for none.
    public var trace: String?
    /// The closure to run instead of a handler.
    public var closure: EffectHandler?
}
