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

/// A route as it stands in a list of those to be tried.
@usableFromInline
struct RouteCandidate<S: StateType>: Sendable {
    /// Its place among all routes, in the order of declaration.
    @usableFromInline let number: Int
    /// Where it leads; `nil` for "stay" or, asked for a destination, "wherever".
    @usableFromInline let toState: S?
    /// Whether its guard or its region must be asked.
    @usableFromInline let isChecked: Bool

    init(number: Int, toState: S?, isChecked: Bool) {
        self.number = number
        self.toState = toState
        self.isChecked = isChecked
    }
}

/// The conditions behind the numbers of an index: closures of a table or of a machine.
@usableFromInline
protocol RouteRules<S> {
    associatedtype S: StateType

    /// Whether the route's region is active and its guard passes for a change to `to`. Asked at
    /// most once for a route and a destination within an attempt.
    mutating func passes(_ route: Int, to: S) -> Bool
}
