import OrderedJSON

/// The call that undoes a completed effect: another handler and its argument. Run by
/// ``TransducerEffect/compensate(id:)``.
public struct EffectUndo: Sendable {
    let handler: String
    let argument: DurableArgument

    /// By `handler`, with `argument`.
    public init(_ handler: String, argument: some Encodable & Sendable) {
        self.handler = handler
        self.argument = DurableArgument(argument)
    }

    /// By `handler`, with `null`.
    public init(_ handler: String) { self.init(handler, argument: JSONValue.null) }
}
