// The operator `=>`, for every pair of sides. It groups from the left, so that `a => b => c` is a
// chain.

/// Draws an arrow between states.
infix operator => : AdditionPrecedence

// MARK: One arrow

/// The arrow from a pattern to a pattern, such as `.any => .any`.
@inlinable
public func => <S: StateType>(from: StatePattern<S>, to: StatePattern<S>) -> Transition<S> {
    Transition(fromState: from, toState: to)
}

/// The arrow from a pattern to a state: `.any => .b` enters b from everywhere, b included.
@inlinable
public func => <S: StateType>(from: StatePattern<S>, to: S) -> Transition<S> {
    Transition(fromState: from, toState: to)
}

/// The arrow from a state to a pattern: `.a => .any` leaves a to everywhere, a included.
@inlinable
public func => <S: StateType>(from: S, to: StatePattern<S>) -> Transition<S> {
    Transition(fromState: from, toState: to)
}

/// The arrow from a state to a state.
@inlinable
public func => <S: StateType>(from: S, to: S) -> Transition<S> {
    Transition(fromState: from, toState: to)
}

// MARK: Several arrows, for tables

/// The arrows from each state of a list to a pattern.
public func => <S: StateType>(from: [S], to: StatePattern<S>) -> TransitionSet<S> {
    TransitionSet(from: from.map(StatePattern.some), to: [to])
}

/// The arrows from each state of a list to a state.
public func => <S: StateType>(from: [S], to: S) -> TransitionSet<S> {
    from => StatePattern.some(to)
}

/// The arrows from a pattern to each state of a list.
public func => <S: StateType>(from: StatePattern<S>, to: [S]) -> TransitionSet<S> {
    TransitionSet(from: [from], to: to.map(StatePattern.some))
}

/// The arrows from a state to each state of a list.
public func => <S: StateType>(from: S, to: [S]) -> TransitionSet<S> {
    StatePattern.some(from) => to
}

/// The arrows from each state of a list to each state of another: their product.
public func => <S: StateType>(from: [S], to: [S]) -> TransitionSet<S> {
    TransitionSet(from: from.map(StatePattern.some), to: to.map(StatePattern.some))
}

// MARK: Several arrows, for machines

/// The route along the arrows from each state of a list to a pattern.
public func => <S: StateType, E: EventType>(from: [S], to: StatePattern<S>) -> Route<S, E> {
    Route(transitions: TransitionSet(from: from.map(StatePattern.some), to: [to]))
}

/// The route along the arrows from each state of a list to a state.
public func => <S: StateType, E: EventType>(from: [S], to: S) -> Route<S, E> {
    from => StatePattern.some(to)
}

/// The route along the arrows from a pattern to each state of a list.
public func => <S: StateType, E: EventType>(from: StatePattern<S>, to: [S]) -> Route<S, E> {
    Route(transitions: TransitionSet(from: [from], to: to.map(StatePattern.some)))
}

/// The route along the arrows from a state to each state of a list.
public func => <S: StateType, E: EventType>(from: S, to: [S]) -> Route<S, E> {
    StatePattern.some(from) => to
}

/// The route along the arrows from each state of a list to each state of another.
public func => <S: StateType, E: EventType>(from: [S], to: [S]) -> Route<S, E> {
    Route(
        transitions: TransitionSet(
            from: from.map(StatePattern.some), to: to.map(StatePattern.some)))
}
