/// What one step of a table did.
public struct RouteStep<State: StateType, Event: EventType, Output> {
    /// The event, or `nil` for a change that was asked for by its destination.
    public var event: Event?
    /// The state before.
    public var fromState: State
    /// The state after; the same for a step that stays.
    public var toState: State
    /// What the handlers emitted, in the order in which they ran.
    public var outputs: [Output] = []
    /// What the handlers want applied next, in the order in which they ran.
    public var events: [Event] = []
    /// Why nothing changed, where a refusal handler answered in place of a route.
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
