/// A change of state, for guards and handlers of a table. A guard is called before the change and a
/// handler after it, with the same values.
public struct RouteContext<State: StateType, Event: EventType>: Sendable {
    /// The event, or `nil` for a move.
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
