/// What the engine knows of a handler; the handler itself runs elsewhere.
public struct HandlerTraits: Sendable, Hashable {
    /// How many of its tries may be under way at once.
    public var concurrencyMax: Int

    /// Puts the traits together.
    public init(concurrencyMax: Int) { self.concurrencyMax = max(1, concurrencyMax) }
}
