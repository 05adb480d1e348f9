/// The states of two machines side by side. On the wire `{"first":…,"second":…}`, with `failure`
/// when one side's effect has failed.
public struct ParallelState<First: Terminable, Second: Terminable, Rule: ParallelRule>:
    FailableState
{
    /// The first machine's state.
    public var first: First
    /// The second machine's state.
    public var second: Second
    /// The failed effect that has ended the product, if one has.
    public internal(set) var failure: SideFailure?

    /// A state of two sides.
    public init(first: First, second: Second) {
        self.first = first
        self.second = second
    }

    /// Whether the rule's condition holds.
    @inlinable
    public var isTerminal: Bool {
        if failure != nil { return true }
        let isFirstDone = first.isTerminal
        let isSecondDone = second.isTerminal
        guard isFirstDone || isSecondDone else { return false }
        let isDone =
            switch Rule.termination {
            case .any: true
            case .all: isFirstDone && isSecondDone
            case .first: isFirstDone
            case .second: isSecondDone
            }
        return isDone || (Rule.sideFailure == .stopsOther && hasFailedSide)
    }

    /// Whether an effect's failure has ended the product, or a side has ended in a failure state.
    public var isFailure: Bool { failure != nil || hasFailedSide }

    @usableFromInline
    var hasFailedSide: Bool { Self.hasFailed(first) || Self.hasFailed(second) }

    private static func hasFailed(_ state: some Terminable) -> Bool {
        state.isTerminal && (state as? any FailableState)?.isFailure == true
    }
}

extension ParallelState: Sendable where First: Sendable, Second: Sendable {}
extension ParallelState: Equatable where First: Equatable, Second: Equatable {}
extension ParallelState: Hashable where First: Hashable, Second: Hashable {}
extension ParallelState: Encodable where First: Encodable, Second: Encodable {}
extension ParallelState: Decodable where First: Decodable, Second: Decodable {}
