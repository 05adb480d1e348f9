/// Watches the transitions of a machine for a chain, `.a => .b => .c`.
///
/// A transducer keeps it in its state and tells it every transition, whether by an event or not;
/// `StateMachine.addChainHandler` does so by itself. As it is a value, it is
/// stored and restored with the state.
///
/// ```swift
/// var watcher = ChainWatcher(State.key2 => .key3 => .key5)
/// if watcher.observe(from: .key3, to: .key5) == .completed { … }
/// ```
public struct ChainWatcher<S: StateType>: Hashable, Sendable {
    /// What is watched for.
    public let chain: TransitionChain<S>
    /// How far it has been walked.
    public private(set) var position = ChainPosition()

    /// A watcher before the first step. A chain of fewer than two states is never completed.
    public init(_ chain: TransitionChain<S>) { self.chain = chain }

    /// Records a transition that happened, and says what it meant for the chain. Refused
    /// attempts are no transitions: they don't break a chain.
    public mutating func observe(from: S, to: S) -> ChainPosition.Outcome {
        let states = chain.states
        return position.advance(of: max(0, states.count - 1)) {
            states[$0].matches(from) && states[$0 + 1].matches(to)
        }
    }

    /// Records a step of a table; steps in which a refusal was answered are none.
    public mutating func observe<E, Output>(
        _ step: RouteStep<S, E, Output>
    ) -> ChainPosition.Outcome {
        step.refusal == nil ? observe(from: step.fromState, to: step.toState) : .none
    }

    /// Goes back before the first step.
    public mutating func restart() { position.restart() }
}

extension ChainWatcher: Encodable where S: Encodable {}
extension ChainWatcher: Decodable where S: Decodable {}
