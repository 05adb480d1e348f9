/// What an index has to know of a route: no closures.
@usableFromInline
struct IndexedRoute<S: StateType, E: EventType>: Sendable {
    /// What it is for; `nil` for routes that are asked for by their destination.
    @usableFromInline let event: EventPattern<E>?
    @usableFromInline let transition: Transition<S>
    /// The region that must be active, where the route begins in "any state of this region".
    @usableFromInline let region: Int?
    @usableFromInline let isGuarded: Bool

    init(
        event: EventPattern<E>?, transition: Transition<S>, region: Int? = nil, isGuarded: Bool
    ) {
        self.event = event
        self.transition = transition
        self.region = region
        self.isGuarded = isGuarded
    }

    /// Smaller is tried first: exact event, exact from-state, a region, exact to-state. Ties are
    /// broken by the order of declaration.
    var rank: Int {
        let event = if case .some(.any) = event { 1 } else { 0 }
        let from = !transition.fromState.isAny ? 0 : region != nil ? 1 : 2
        return event * 6 + from * 2 + (transition.toState.isAny ? 1 : 0)
    }
}
