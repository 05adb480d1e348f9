/// An arrow from a state to a state, `.locked => .unlocked`; either side may be `.any`.
///
/// With an event, `=> .any` means to stay: the state is unchanged, and handlers run. In a request
/// (``StateMachine/tryState(_:userInfo:)``), it allows every state.
public struct Transition<S: StateType>: Hashable, Sendable {
    /// The state before.
    public let fromState: StatePattern<S>
    /// The state after.
    public let toState: StatePattern<S>

    /// An arrow between two patterns.
    public init(fromState: StatePattern<S>, toState: StatePattern<S>) {
        self.fromState = fromState
        self.toState = toState
    }

    /// An arrow from one state.
    public init(fromState: S, toState: StatePattern<S>) {
        self.init(fromState: .some(fromState), toState: toState)
    }

    /// An arrow to one state.
    public init(fromState: StatePattern<S>, toState: S) {
        self.init(fromState: fromState, toState: .some(toState))
    }

    /// An arrow between two states.
    public init(fromState: S, toState: S) {
        self.init(fromState: .some(fromState), toState: .some(toState))
    }

    /// Whether a change from `from` to `to` matches this arrow.
    @inlinable
    public func matches(from: S, to: S) -> Bool {
        fromState.matches(from) && toState.matches(to)
    }
}

extension Transition: CustomStringConvertible {
    /// The arrow as it is written, `locked => unlocked`.
    public var description: String { "\(fromState) => \(toState)" }
}
