/// Where an attempt leads and what made it so.
@usableFromInline
struct RouteDecision<State: StateType, Event: EventType, Output> {
    @usableFromInline let toState: State
    /// What takes it: one thing for an event, all that allow it for a move.
    @usableFromInline let sources: [RouteSource]
    /// Runs the handlers inside the region that took it.
    let inner: (() -> RouteReaction<Event, Output>)?

    @usableFromInline
    init(
        toState: State, sources: [RouteSource],
        inner: (() -> RouteReaction<Event, Output>)? = nil
    ) {
        self.toState = toState
        self.sources = sources
        self.inner = inner
    }
}
