extension RouteTable {
    /// The destination of `event` in `state`, or `nil` if it would be refused. Guards are called,
    /// no handler runs and nothing changes.
    public func destination(of event: Event, from state: State) -> State? {
        var rules = Rules(storage: storage, event: event, from: state)
        return decide(event, rules: &rules)?.toState
    }

    /// Whether a move from the one state to the other is allowed.
    public func canMove(from: State, to: State) -> Bool {
        var rules = Rules(storage: storage, event: nil, from: from)
        return decideMove(to: to, rules: &rules) != nil
    }

    /// The events with a route, a request or a mapping from `state`, guarded or not; guards are not
    /// called. In the order of `allCases` where the events are `CaseIterable`; else in the order
    /// of declaration, and then those of mappings, requests and any-event routes are not known.
    public func acceptedEvents(in state: State) -> [Event] {
        if let all = storage.allEvents { return all.filter { hasWay(for: $0, in: state) } }
        var known: Set<Event> = []
        var events: [Event] = []
        for region in storage.regions {
            events += region.accepted(state).filter { known.insert($0).inserted }
        }
        for route in storage.index.routes where route.transition.fromState.matches(state) {
            guard case .some(.some(let event)) = route.event, isActive(route, in: state),
                known.insert(event).inserted
            else { continue }
            events.append(event)
        }
        return events
    }

    /// Whether `event` has a route, a request or a mapping in `state`, guarded or not.
    func hasWay(for event: Event, in state: State) -> Bool {
        if storage.regions.contains(where: { $0.hasWay(event, state) }) { return true }
        if storage.index.hasCandidate(
            for: event, in: state, where: { isActive(storage.index.routes[$0], in: state) })
        {
            return true
        }
        return storage.mappings.contains { $0.run(event, state) != nil }
            || storage.requests.contains {
                $0.run(event).map { canMove(from: state, to: $0) } ?? false
            }
    }

    /// Whether the region of a route is active; `true` without a region.
    func isActive(_ route: IndexedRoute<State, Event>, in state: State) -> Bool {
        route.region.map { storage.regions[$0].isActive(state) } ?? true
    }

    /// Whether a state is terminal; `false` for a type that isn't `Terminable`.
    func isTerminal(_ state: State) -> Bool {
        storage.mayEnd && (state as? any Terminable)?.isTerminal == true
    }
}
