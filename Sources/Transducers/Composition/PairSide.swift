/// One of the two machines of a pair; also the scope of its effects.
public enum PairSide: String, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The first machine.
    case first
    /// The second machine.
    case second

    /// `first` or `second`.
    public var description: String { rawValue }

    /// The rejection of an event for a machine that has ended.
    @usableFromInline
    func hasEnded(accepts: [String]) -> Rejection {
        Rejection("the \(self) machine has ended and takes no more events", accepts: accepts)
    }
}
