public import Transducers

/// A counter. The output of every step is the count after it.
///
/// The count stays within ±(2^53 − 1), the integers that JSON carries exactly. A step that would
/// leave this range is rejected.
public enum Counter: Transducer, InitialState {
    /// The count so far; a counter never ends.
    public struct State: NonTerminal, Codable, Equatable, Sendable {
        /// The count.
        public var count: Int

        /// A state with this count.
        public init(count: Int = 0) { self.count = count }
    }

    /// The events of a counter.
    public enum Event: Codable, Equatable, Sendable {
        /// Adds 1.
        case increment
        /// Subtracts 1.
        case decrement
        /// Adds `amount`, which may be negative.
        case add(amount: Int)
        /// Sets the count to 0.
        case reset
    }

    /// The count after the step.
    public typealias Output = Int

    /// A count of 0.
    public static var initialState: State { State() }

    /// Changes the count and returns it.
    ///
    /// - Throws: `Rejection` when the count would leave ±(2^53 − 1).
    public static func update(_ state: inout State, event: Event) throws -> Int {
        switch event {
        case .increment: try move(&state, by: 1)
        case .decrement: try move(&state, by: -1)
        case .add(let amount): try move(&state, by: amount)
        case .reset: state.count = 0
        }
        return state.count
    }

    private static func move(_ state: inout State, by amount: Int) throws(Rejection) {
        let (count, isOverflow) = state.count.addingReportingOverflow(amount)
        guard !isOverflow, (-Int.exactMax...Int.exactMax).contains(count) else {
            throw Rejection(
                "the count would leave the range of exact integers",
                accepts: ["increment", "decrement", "add", "reset"])
        }
        state.count = count
    }
}
