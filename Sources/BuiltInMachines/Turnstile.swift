public import Transducers

/// The classic first state machine: a coin unlocks the gate, a push passes and locks it.
public enum Turnstile: Transducer, InitialState {
    /// Whether the gate is locked; a turnstile never ends.
    public enum State: NonTerminal, Codable, CaseIterable, Sendable {
        /// The gate is locked.
        case locked
        /// The gate opens for one push.
        case unlocked
    }

    /// The events at the gate. On the wire: `"COIN"` and `"PUSH"`.
    public enum Event: Codable, CaseIterable, Sendable {
        /// A coin is inserted.
        case coin
        /// The gate is pushed.
        case push

        private enum CodingKeys: String, CodingKey {
            case coin = "COIN"
            case push = "PUSH"
        }
    }

    /// The outputs of the gate.
    public enum Output: Codable, CaseIterable, Sendable {
        /// It let one person pass and locked.
        case locked
        /// It unlocked.
        case unlocked
    }

    /// Locked until the first coin.
    public static var initialState: State { .locked }

    /// Unlocks after a coin, locks after a push.
    ///
    /// - Throws: `Rejection` for a second coin and for a push while locked.
    public static func update(_ state: inout State, event: Event) throws -> Output {
        switch (state, event) {
        case (.locked, .coin):
            state = .unlocked
            return .unlocked
        case (.unlocked, .push):
            state = .locked
            return .locked
        case (.locked, .push):
            throw Rejection("the turnstile is locked", accepts: ["COIN"])
        case (.unlocked, .coin):
            throw Rejection("the turnstile is unlocked already", accepts: ["PUSH"])
        }
    }
}
