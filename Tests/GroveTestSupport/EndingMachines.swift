import Transducers

/// A machine that has an initial output, counts down, and ends at zero. Its last output is its
/// result.
package enum Countdown: Transducer, InitialState {
    /// The number of remaining events.
    package struct State: Terminable, Codable, Sendable {
        var left = 2
        package var isTerminal: Bool { left == 0 }
    }

    package enum Event: Codable, Sendable { case tick }

    package static let initialState = State()

    package static func initialOutput(initialState: State) -> String? { "ready" }

    package static func update(_ state: inout State, event: Event) -> String {
        state.left -= 1
        return state.left == 0 ? "liftoff" : "\(state.left)"
    }
}

/// A machine that is done from the start.
package enum Finished: Transducer, InitialState {
    package struct State: Terminable, Codable, Sendable { package var isTerminal: Bool { true } }
    package enum Event: Codable, Sendable { case any }
    package static let initialState = State()
    package static func initialOutput(initialState: State) -> Int? { 7 }
    package static func update(_ state: inout State, event: Event) -> Int { 0 }
}
