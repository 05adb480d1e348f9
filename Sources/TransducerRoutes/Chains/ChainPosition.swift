/// The progress along a chain, as a value.
///
/// It holds every step of the chain that the last transitions could have led to. So a chain is
/// completed exactly when the last transitions are its steps, in order and without others between
/// them. ``ChainWatcher`` keeps it together with the chain; a machine whose chain is a constant
/// keeps only the position in its state.
public struct ChainPosition: Hashable, Sendable, Codable {
    /// The meaning of a transition for a chain.
    public enum Outcome: Hashable, Sendable {
        /// The transition was no step, and none was due.
        case none
        /// A step was walked, but not the last one.
        case advanced
        /// The last step was walked. The chain restarts with the next transition.
        case completed
        /// The chain had been begun, and the transition left it. Reported once: later transitions
        /// are `none` until the first step is walked again.
        case broken
    }

    /// The numbers of steps that the last transitions have walked, ascending; empty at the start.
    private var walked: [Int] = []

    /// The position before the first step.
    public init() {}

    /// Whether the first step has been walked and nothing else since.
    public var isUnderway: Bool { !walked.isEmpty }

    /// The number of walked steps; of several possible numbers the largest.
    public var stepsWalked: Int { walked.last ?? 0 }

    /// Records a transition that happened. Refused attempts are none.
    ///
    /// - Parameters:
    ///   - steps: The number of steps of the chain; with 0, the outcome is always `none`.
    ///   - matches: Whether the transition is the step of this number, counted from 0. Called once
    ///     per step that could be next.
    public mutating func advance(of steps: Int, matches: (Int) -> Bool) -> Outcome {
        guard steps > 0 else { return .none }
        let wasUnderway = isUnderway
        walked = ([0] + walked).filter { $0 < steps && matches($0) }.map { $0 + 1 }
        if walked.last == steps {
            walked = []
            return .completed
        }
        if isUnderway { return .advanced }
        return wasUnderway ? .broken : .none
    }

    /// Returns to the position before the first step.
    public mutating func restart() { walked = [] }

    /// Writes the list of steps.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(walked)
    }

    /// Reads what `encode(to:)` writes.
    ///
    /// - Throws: `DecodingError` for numbers that aren't ascending from 1.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        walked = try container.decode([Int].self)
        guard zip([0] + walked, walked).allSatisfy({ $0 < $1 }) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "steps walked must be ascending from 1")
        }
    }
}
