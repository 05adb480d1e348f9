public import Transducers

/// The classic first state machine: a coin unlocks the gate, a push goes through it and locks it.
public enum Turnstile: Transducer, InitialState {
    /// Whether the gate gives way; a turnstile never ends.
    public enum State: NonTerminal, Codable, CaseIterable, Sendable {
        /// It doesn't.
        case locked
        /// It does, once.
        case unlocked
    }

    /// What happens at the gate. On the wire: `"COIN"` and `"PUSH"`.
    public enum Event: Codable, CaseIterable, Sendable {
        /// Somebody pays.
        case coin
        /// Somebody pushes.
        case push

        private enum CodingKeys: String, CodingKey {
            case coin = "COIN"
            case push = "PUSH"
        }
    }

    /// What the gate did.
    public enum Output: Codable, CaseIterable, Sendable {
        /// It let somebody through and closed.
        case locked
        /// It opened.
        case unlocked
    }

    /// Closed until the first coin.
    public static var initialState: State { .locked }

    /// Opens on a coin, closes behind a push.
    ///
    /// - Throws: `Rejection` for a second coin and for a push at a locked gate.
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
