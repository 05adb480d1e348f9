/// The parts of a route that an index uses: no closures.
@usableFromInline
struct IndexedRoute<S: StateType, E: EventType>: Sendable {
    /// The events; `nil` for a route of moves.
    @usableFromInline let event: EventPattern<E>?
    @usableFromInline let transition: Transition<S>
    /// The region that must be active, where the route begins in "any state of this region".
    @usableFromInline var region: Int?
    @usableFromInline let isGuarded: Bool

    /// Smaller is tried first: exact event, exact from-state, a region, exact to-state. Ties are
    /// broken by the order of declaration.
    var rank: Int {
        let event = if case .some(.any) = event { 1 } else { 0 }
        let from = !transition.fromState.isAny ? 0 : region != nil ? 1 : 2
        return event * 6 + from * 2 + (transition.toState.isAny ? 1 : 0)
    }
}
