/// An index of routes that finds the route of an event.
///
/// Lists are in the order of precedence; dictionaries are never walked, so that the same routes
/// give the same answers in every process. It never changes: a machine whose routes change makes
/// another.
@usableFromInline
final class RouteIndex<S: StateType, E: EventType>: Sendable {
    @usableFromInline
    struct Pair: Hashable, Sendable {
        @usableFromInline let state: S
        @usableFromInline let event: E

        @inlinable
        init(state: S, event: E) {
            self.state = state
            self.event = event
        }
    }

    /// All routes, in the order of declaration.
    @usableFromInline let routes: [IndexedRoute<S, E>]

    /// Exact event, exact state.
    @usableFromInline let byPair: [Pair: [RouteCandidate<S>]]
    /// Exact event, a region or any state.
    @usableFromInline let byEvent: [E: [RouteCandidate<S>]]
    /// Any event, exact state.
    @usableFromInline let byState: [S: [RouteCandidate<S>]]
    /// Any event, a region or any state.
    @usableFromInline let always: [RouteCandidate<S>]

    /// Routes without events, from exactly one state.
    @usableFromInline let movesByState: [S: [RouteCandidate<S>]]
    /// Routes without events, from a region or any state.
    @usableFromInline let movesFromAny: [RouteCandidate<S>]
    /// Routes with events, for machines that also allow them for moves.
    @usableFromInline let eventRoutes: [RouteCandidate<S>]

    init(_ routes: [IndexedRoute<S, E>]) {
        self.routes = routes
        // Swift's sort is stable, which keeps the order of declaration within a rank.
        let ranked = routes.indices.map { (number: $0, rank: routes[$0].rank) }
            .sorted { ($0.rank, $0.number) < ($1.rank, $1.number) }
        var byPair: [Pair: [RouteCandidate<S>]] = [:]
        var byEvent: [E: [RouteCandidate<S>]] = [:]
        var byState: [S: [RouteCandidate<S>]] = [:]
        var always: [RouteCandidate<S>] = []
        var movesByState: [S: [RouteCandidate<S>]] = [:]
        var movesFromAny: [RouteCandidate<S>] = []
        var eventRoutes: [RouteCandidate<S>] = []
        for (number, _) in ranked {
            let route = routes[number]
            let candidate = RouteCandidate(
                number: number, toState: route.transition.toState.rawValue,
                isChecked: route.isGuarded || route.region != nil)
            if route.event != nil { eventRoutes.append(candidate) }
            switch (route.event, route.transition.fromState) {
            case (.some(.some(let event)), .some(let state)):
                byPair[Pair(state: state, event: event), default: []].append(candidate)
            case (.some(.some(let event)), .any): byEvent[event, default: []].append(candidate)
            case (.some(.any), .some(let state)): byState[state, default: []].append(candidate)
            case (.some(.any), .any): always.append(candidate)
            case (nil, .some(let state)): movesByState[state, default: []].append(candidate)
            case (nil, .any): movesFromAny.append(candidate)
            }
        }
        self.byPair = byPair
        self.byEvent = byEvent
        self.byState = byState
        self.always = always
        self.movesByState = movesByState
        self.movesFromAny = movesFromAny
        self.eventRoutes = eventRoutes
    }
}
