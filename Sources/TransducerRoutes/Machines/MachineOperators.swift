/// Asks a machine to go to a state.
infix operator <- : AdditionPrecedence

/// Sends a machine an event.
infix operator <-! : AdditionPrecedence

/// Asks for a state and returns the machine, so that several can be asked for in a row:
/// `machine <- .green <- .yellow`. What is refused is left to the error handlers.
@inlinable
@discardableResult
public func <- <S, E>(machine: StateMachine<S, E>, state: S) -> StateMachine<S, E> {
    machine.tryState(state)
    return machine
}

/// Asks for a state with something for conditions and handlers: `machine <- (.green, "go")`.
@inlinable
@discardableResult
public func <- <S, E>(
    machine: StateMachine<S, E>, request: (S, Any?)
) -> StateMachine<S, E> {
    machine.tryState(request.0, userInfo: request.1)
    return machine
}

/// Sends an event and returns the machine, so that several can be sent in a row:
/// `machine <-! .coin <-! .push`. What is refused is left to the error handlers.
@inlinable
@discardableResult
public func <-! <S, E>(machine: Machine<S, E>, event: E) -> Machine<S, E> {
    machine.tryEvent(event)
    return machine
}

/// Sends an event with something for conditions and handlers: `machine <-! (.coin, 50)`.
@inlinable
@discardableResult
public func <-! <S, E>(machine: Machine<S, E>, request: (E, Any?)) -> Machine<S, E> {
    machine.tryEvent(request.0, userInfo: request.1)
    return machine
}
