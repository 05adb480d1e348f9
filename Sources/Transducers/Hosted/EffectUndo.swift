import OrderedJSON

/// How a completed effect is undone: by another handler, with an argument of its own. Run by
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
