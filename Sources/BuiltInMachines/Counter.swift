public import Transducers

/// Counts. The output of every step is the count after it.
///
/// The count stays within ±(2^53 − 1), the integers that JSON carries exactly; a step that would
/// leave them is refused.
public enum Counter: Transducer, InitialState {
    /// The count so far; a counter never ends.
    public struct State: NonTerminal, Codable, Equatable, Sendable {
        /// How many.
        public var count: Int

        /// A state with this count.
        public init(count: Int = 0) { self.count = count }
    }

    /// What a counter can be told.
    public enum Event: Codable, Equatable, Sendable {
        /// One more.
        case increment
        /// One less.
        case decrement
        /// `amount` more, or less where it is negative.
        case add(amount: Int)
        /// Back to 0.
        case reset
    }

    /// The count after the step.
    public typealias Output = Int

    /// Nothing counted yet.
    public static var initialState: State { State() }

    /// Moves the count and returns it.
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
        guard !isOverflow, (-WireInteger.max...WireInteger.max).contains(count) else {
            throw Rejection(
                "the count would leave the range of exact integers",
                accepts: ["increment", "decrement", "add", "reset"])
        }
        state.count = count
    }
}
