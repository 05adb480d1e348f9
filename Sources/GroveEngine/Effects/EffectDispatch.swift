public import OrderedJSON
public import Transducers

/// One try of a handler that is to be made now: handed out after the commit that says so.
public struct EffectDispatch: Sendable {
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
