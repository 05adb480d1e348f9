extension RouteTable {
    /// One edge of this table.
    public typealias Edge = RouteEdge<State, Event>
    typealias Way = RouteWay<State, Event>

    /// The routes as they were declared, in that order, then regions, requests and mappings, whose
    /// destinations are computed.
    public func edges() -> [Edge] {
        let routes = storage.index.routes.enumerated().map { number, route in
            let isMove = route.event == nil
            let destination: Edge.Destination =
                route.transition.toState.rawValue.map { .state($0) } ?? (isMove ? .anywhere : .stay)
            return Edge(
                route.event.map { .event($0) } ?? .move, from: route.transition.fromState,
                to: destination, isGuarded: route.isGuarded,
                guardName: storage.guards[number]?.name,
                region: route.region.map { storage.regions[$0].name }, origin: .route(number))
        }
        let regions = storage.regions.map {
            Edge(
                .event(.any), from: .any, to: .computed, region: $0.name,
                origin: .region($0.name))
        }
        let requests = storage.requests.map {
            Edge(.event(.any), from: .any, to: .computed, origin: .request($0.name))
        }
        let mappings = storage.mappings.map {
            Edge(.event(.any), from: .any, to: .computed, origin: .mapping($0.name))
        }
        let stateMappings = storage.stateMappings.map {
            Edge(.move, from: .any, to: .computed, origin: .stateMapping($0.name))
        }
        return routes + regions + requests + mappings + stateMappings
    }

    /// Every edge from one state to one state by one event, and every move, as the table would
    /// go: in precedence, and none behind one without a guard. Terminal states have none.
    ///
    /// Exact for these states and events, mappings included; a guard is taken as one that may pass
    /// or not.
    public func edges(states: [State], events: [Event]) -> [Edge] {
        states.flatMap { state in
            guard !isTerminal(state) else { return [Edge]() }
            let byEvent = events.flatMap { event in
                ways(for: event, in: state).map { edge(.event(.some(event)), state, $0) }
            }
            let moves = states.compactMap { to in
                moveWays(from: state, to: to).first.map { edge(.move, state, $0) }
            }
            return byEvent + moves
        }
    }

    private func edge(_ trigger: Edge.Trigger, _ state: State, _ way: Way) -> Edge {
        Edge(
            trigger, from: .some(state), to: .state(way.toState), isGuarded: way.isGuarded,
            guardName: way.guardName, origin: way.origin)
    }

    /// Where `event` could lead, in the order in which it is tried.
    func ways(for event: Event, in state: State) -> [Way] {
        var ways: [Way] = []
        for region in storage.regions {
            ways += region.ways(event, state)
            if ways.last?.isGuarded == false { return ways }
        }
        for candidate in storage.index.candidates(for: event, in: state) {
            guard let way = way(along: candidate, from: state, to: candidate.toState ?? state)
            else { continue }
            ways.append(way)
            if !way.isGuarded { return ways }
        }
        for request in storage.requests {
            guard let to = request.run(event), let way = moveWays(from: state, to: to).first
            else { continue }
            ways.append(
                Way(
                    toState: to, isGuarded: way.isGuarded, guardName: way.guardName,
                    origin: .request(request.name)))
            if !way.isGuarded { return ways }
        }
        for mapping in storage.mappings {
            guard let to = mapping.run(event, state) else { continue }
            let origin = Edge.Origin.mapping(mapping.name)
            return ways + [Way(toState: to, isGuarded: false, guardName: nil, origin: origin)]
        }
        return ways
    }

    /// What could allow going from the one state to the other: first what has no guard.
    func moveWays(from: State, to: State) -> [Way] {
        var ways = storage.regions.flatMap { $0.moveWays(from, to) }
        ways += storage.index.moves(from: from, to: to).compactMap {
            way(along: $0, from: from, to: to)
        }
        for mapping in storage.stateMappings where mapping.run(from).contains(to) {
            let origin = Edge.Origin.stateMapping(mapping.name)
            ways.append(Way(toState: to, isGuarded: false, guardName: nil, origin: origin))
        }
        return ways.filter { !$0.isGuarded } + ways.filter(\.isGuarded)
    }

    private func way(
        along candidate: RouteCandidate<State>, from: State, to: State
    ) -> Way? {
        let route = storage.index.routes[candidate.number]
        guard isActive(route, in: from) else { return nil }
        return Way(
            toState: to, isGuarded: route.isGuarded,
            guardName: storage.guards[candidate.number]?.name, origin: .route(candidate.number))
    }
}
