/// Where an attempt leads and what made it so.
@usableFromInline
struct MachineDecision<S: StateType> {
    @usableFromInline let toState: S
    /// What takes it: one thing for an event, all that allow it for a destination.
    @usableFromInline let sources: [RouteSource]

    @inlinable
    init(toState: S, sources: [RouteSource]) {
        self.toState = toState
        self.sources = sources
    }
}
