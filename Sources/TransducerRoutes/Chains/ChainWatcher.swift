/// Watches the transitions of a machine for a chain, `.a => .b => .c`.
///
/// A transducer keeps it in its state and reports every transition to it, by an event or a move;
/// `StateMachine.addChainHandler` does so itself. As a value, it is stored and restored with the
/// state.
///
/// ```swift
/// var watcher = ChainWatcher(State.key2 => .key3 => .key5)
/// if watcher.observe(from: .key3, to: .key5) == .completed { … }
/// ```
public struct ChainWatcher<S: StateType>: Hashable, Sendable {
    /// The chain.
    public let chain: TransitionChain<S>
    /// The progress.
    public private(set) var position = ChainPosition()

    /// A watcher before the first step. A chain of fewer than two states is never completed.
    public init(_ chain: TransitionChain<S>) { self.chain = chain }

    /// Records a transition, and returns its meaning for the chain. Refused attempts are no
    /// transitions: they don't break a chain.
    public mutating func observe(from: S, to: S) -> ChainPosition.Outcome {
        let states = chain.states
        return position.advance(of: max(0, states.count - 1)) {
            states[$0].matches(from) && states[$0 + 1].matches(to)
        }
    }

    /// Records a step of a table; a step with a refusal is no transition.
    public mutating func observe<E, Output>(
        _ step: RouteStep<S, E, Output>
    ) -> ChainPosition.Outcome {
        step.refusal == nil ? observe(from: step.fromState, to: step.toState) : .none
    }

    /// Returns to the position before the first step.
    public mutating func restart() { position.restart() }
}

extension ChainWatcher: Encodable where S: Encodable {}
extension ChainWatcher: Decodable where S: Decodable {}
