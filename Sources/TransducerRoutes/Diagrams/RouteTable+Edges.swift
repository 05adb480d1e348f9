extension RouteTable {
    /// One edge of this table.
    public typealias Edge = RouteEdge<State, Event>

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

    /// Every edge from one state to one state by one event, and every move, in the order in which
    /// the table tries them, and none after one without a guard. Terminal states have none.
    ///
    /// Exact for these states and events, mappings included; guards aren't asked.
    public func edges(states: [State], events: [Event]) -> [Edge] {
        states.flatMap { state in
            guard !isTerminal(state) else { return [Edge]() }
            return events.flatMap { possibleEdges(for: $0, in: state) }
                + states.compactMap { moveEdges(from: state, to: $0).first }
        }
    }

    /// The possible edges of `event`, in the order in which they are tried.
    func possibleEdges(for event: Event, in state: State) -> [Edge] {
        let trigger = Edge.Trigger.event(.some(event))
        var edges: [Edge] = []
        for region in storage.regions {
            edges += region.edges(event, state)
            if edges.last?.isGuarded == false { return edges }
        }
        for candidate in storage.index.candidates(for: event, in: state) {
            guard
                let edge = edge(
                    trigger, along: candidate, from: state, to: candidate.toState ?? state)
            else { continue }
            edges.append(edge)
            if !edge.isGuarded { return edges }
        }
        for request in storage.requests {
            guard let to = request.run(event), let move = moveEdges(from: state, to: to).first
            else { continue }
            edges.append(
                Edge(
                    trigger, from: .some(state), to: .state(to), isGuarded: move.isGuarded,
                    guardName: move.guardName, origin: .request(request.name)))
            if !move.isGuarded { return edges }
        }
        for mapping in storage.mappings {
            guard let to = mapping.run(event, state) else { continue }
            let origin = Edge.Origin.mapping(mapping.name)
            return edges + [Edge(trigger, from: .some(state), to: .state(to), origin: origin)]
        }
        return edges
    }

    /// The possible edges from the one state to the other, those without a guard first.
    func moveEdges(from: State, to: State) -> [Edge] {
        var edges = storage.regions.flatMap { $0.moveEdges(from, to) }
        edges += storage.index.moves(from: from, to: to).compactMap {
            edge(.move, along: $0, from: from, to: to)
        }
        for mapping in storage.stateMappings where mapping.run(from).contains(to) {
            let origin = Edge.Origin.stateMapping(mapping.name)
            edges.append(Edge(.move, from: .some(from), to: .state(to), origin: origin))
        }
        return edges.filter { !$0.isGuarded } + edges.filter(\.isGuarded)
    }

    private func edge(
        _ trigger: Edge.Trigger, along candidate: RouteCandidate<State>, from: State, to: State
    ) -> Edge? {
        let route = storage.index.routes[candidate.number]
        guard isActive(route, in: from) else { return nil }
        return Edge(
            trigger, from: .some(from), to: .state(to), isGuarded: route.isGuarded,
            guardName: storage.guards[candidate.number]?.name, origin: .route(candidate.number))
    }
}
