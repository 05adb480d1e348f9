/// Arrows one after the other, `.a => .b => .c`, for a ``ChainWatcher``.
public struct TransitionChain<S: StateType>: Hashable, Sendable {
    /// The states in order.
    public let states: [StatePattern<S>]

    /// A chain through these states. With fewer than two, it has no arrows and is never completed.
    public init(states: [StatePattern<S>]) { self.states = states }

    /// A chain of one arrow.
    public init(transition: Transition<S>) {
        self.init(states: [transition.fromState, transition.toState])
    }

    /// The arrows, each beginning where the one before ends.
    public var transitions: [Transition<S>] {
        zip(states, states.dropFirst()).map { Transition(fromState: $0, toState: $1) }
    }
}

extension TransitionChain: Encodable where S: Encodable {}
extension TransitionChain: Decodable where S: Decodable {}

extension TransitionChain: CustomStringConvertible {
    /// The chain as it is written, `a => b => c`.
    public var description: String { states.map(\.description).joined(separator: " => ") }
}
