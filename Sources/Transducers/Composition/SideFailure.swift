/// The failure of a side of a product.
public struct SideFailure: Error, Hashable, Sendable, Codable {
    /// The side.
    public let side: PairSide
    /// The name of the failed effect within its side, or `nil` if it had none.
    public let effect: String?
    /// The text of the error.
    public let reason: String

    /// A failure of one side.
    public init(side: PairSide, effect: String? = nil, reason: String) {
        self.side = side
        self.effect = effect
        self.reason = reason
    }
}
