public import OrderedJSON

/// What the engine knows of a handler; the handler itself runs elsewhere.
public struct HandlerTraits: Sendable {
    /// How many of its tries may be under way at once.
    public var concurrencyMax: Int
    /// How many of them for one share, say one host that is called; `concurrencyMax` at most.
    public var perShareMax: Int
    /// Which share an effect with this argument belongs to; `nil` for none. Always the same for
    /// the same argument.
    public var share: (@Sendable (_ argument: JSONValue) -> String?)?

    /// Puts the traits together. Without `share`, there is none.
    public init(
        concurrencyMax: Int, perShareMax: Int = .max,
        share: (@Sendable (_ argument: JSONValue) -> String?)? = nil
    ) {
        self.concurrencyMax = max(1, concurrencyMax)
        self.perShareMax = min(max(1, perShareMax), self.concurrencyMax)
        self.share = share
    }
}
