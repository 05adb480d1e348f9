// The operator `=>` on arrows and chains: one more step at the end or at the front.

// MARK: At the end

/// The chain that continues from an arrow's end to a pattern.
public func => <S: StateType>(left: Transition<S>, right: StatePattern<S>) -> TransitionChain<S> {
    TransitionChain(states: [left.fromState, left.toState, right])
}

/// The chain that continues from an arrow's end to a state.
public func => <S: StateType>(left: Transition<S>, right: S) -> TransitionChain<S> {
    left => StatePattern.some(right)
}

/// The chain, longer by a step to a pattern.
public func => <S: StateType>(
    left: TransitionChain<S>, right: StatePattern<S>
) -> TransitionChain<S> {
    TransitionChain(states: left.states + [right])
}

/// The chain, longer by a step to a state.
public func => <S: StateType>(left: TransitionChain<S>, right: S) -> TransitionChain<S> {
    left => StatePattern.some(right)
}

// MARK: At the front

/// The chain that leads from a pattern into an arrow.
public func => <S: StateType>(left: StatePattern<S>, right: Transition<S>) -> TransitionChain<S> {
    TransitionChain(states: [left, right.fromState, right.toState])
}

/// The chain that leads from a state into an arrow.
public func => <S: StateType>(left: S, right: Transition<S>) -> TransitionChain<S> {
    StatePattern.some(left) => right
}

/// The chain, with a step from a pattern before it.
public func => <S: StateType>(
    left: StatePattern<S>, right: TransitionChain<S>
) -> TransitionChain<S> {
    TransitionChain(states: [left] + right.states)
}

/// The chain, with a step from a state before it.
public func => <S: StateType>(left: S, right: TransitionChain<S>) -> TransitionChain<S> {
    StatePattern.some(left) => right
}
