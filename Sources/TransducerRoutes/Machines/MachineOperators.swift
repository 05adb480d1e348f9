/// Requests a state of a machine.
infix operator <- : AdditionPrecedence

/// Sends a machine an event.
infix operator <-! : AdditionPrecedence

/// Requests a state and returns the machine, so that several can follow:
/// `machine <- .green <- .yellow`. Refusals go to the error handlers.
@inlinable
@discardableResult
public func <- <S, E>(machine: StateMachine<S, E>, state: S) -> StateMachine<S, E> {
    machine.tryState(state)
    return machine
}

/// Requests a state with a value for conditions and handlers: `machine <- (.green, "go")`.
@inlinable
@discardableResult
public func <- <S, E>(
    machine: StateMachine<S, E>, request: (S, Any?)
) -> StateMachine<S, E> {
    machine.tryState(request.0, userInfo: request.1)
    return machine
}

/// Sends an event and returns the machine, so that several can follow:
/// `machine <-! .coin <-! .push`. Refusals go to the error handlers.
@inlinable
@discardableResult
public func <-! <S, E>(machine: Machine<S, E>, event: E) -> Machine<S, E> {
    machine.tryEvent(event)
    return machine
}

/// Sends an event with a value for conditions and handlers: `machine <-! (.coin, 50)`.
@inlinable
@discardableResult
public func <-! <S, E>(machine: Machine<S, E>, request: (E, Any?)) -> Machine<S, E> {
    machine.tryEvent(request.0, userInfo: request.1)
    return machine
}
