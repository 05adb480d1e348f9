/// The result of one step of a table.
public struct RouteStep<State: StateType, Event: EventType, Output> {
    /// The event, or `nil` for a move.
    public var event: Event?
    /// The state before.
    public var fromState: State
    /// The state after it.
    public var toState: State
    /// The outputs of the handlers, in order.
    public var outputs: [Output] = []
    /// The events that the handlers raised, in order.
    public var events: [Event] = []
    /// The refusal, if a refusal handler returned a reaction.
    public var refusal: RouteRefusal<State, Event>?

    /// A step without outputs and events.
    @inlinable
    public init(event: Event?, fromState: State, toState: State) {
        self.event = event
        self.fromState = fromState
        self.toState = toState
    }
}

extension RouteStep: Sendable where Output: Sendable {}
extension RouteStep: Equatable where Output: Equatable {}
