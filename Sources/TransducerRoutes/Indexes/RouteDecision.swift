/// The result of an attempt: the destination and its causes.
@usableFromInline
struct RouteDecision<State: StateType, Reaction> {
    @usableFromInline let toState: State
    /// One source for an event; all that allow it for a destination.
    @usableFromInline let sources: [RouteSource]
    /// Runs the handlers inside the region that applied the event.
    @usableFromInline let inner: (() -> Reaction)?

    @inlinable
    init(toState: State, sources: [RouteSource], inner: (() -> Reaction)? = nil) {
        self.toState = toState
        self.sources = sources
        self.inner = inner
    }
}
