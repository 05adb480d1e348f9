/// What guards and handlers of a table are told about a change of state.
///
/// A guard is asked before the change and a handler runs after it; both see the same values.
public struct RouteContext<State: StateType, Event: EventType>: Sendable {
    /// The event, or `nil` for a change that was asked for by its destination.
    public let event: Event?
    /// The state before.
    public let fromState: State
    /// The state after.
    public let toState: State

    /// The context of one transition.
    @inlinable
    public init(event: Event?, fromState: State, toState: State) {
        self.event = event
        self.fromState = fromState
        self.toState = toState
    }
}

extension RouteContext: Equatable {}
