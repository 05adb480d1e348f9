/// Which side of a product failed, and at what.
public struct SideFailure: Error, Hashable, Sendable, Codable {
    /// The side.
    public let side: PairSide
    /// The name of the effect that failed, as that side knows it, or `nil` if it had none.
    public let effect: String?
    /// What it threw, for people.
    public let reason: String

    /// A failure of one side.
    public init(side: PairSide, effect: String? = nil, reason: String) {
        self.side = side
        self.effect = effect
        self.reason = reason
    }
}
