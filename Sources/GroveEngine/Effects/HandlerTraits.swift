public import OrderedJSON

/// The part of a handler that the engine needs; a runner has the handler itself.
public struct HandlerTraits: Sendable {
    public var concurrencyMax: Int
    /// The same for one share, for example one host; at most `concurrencyMax`.
    public var perShareMax: Int
    /// The share of an effect with this argument; `nil` for none. Always the same for the same
    /// argument.
    public var share: (@Sendable (_ argument: JSONValue) -> String?)?

    public init(
        concurrencyMax: Int, perShareMax: Int = .max,
        share: (@Sendable (_ argument: JSONValue) -> String?)? = nil
    ) {
        self.concurrencyMax = max(1, concurrencyMax)
        self.perShareMax = min(max(1, perShareMax), self.concurrencyMax)
        self.share = share
    }
}
