/// The oddities of a table, found by walking every reachable state.
///
/// Guards aren't asked: a state counts as reached when some result of the guards leads there.
public struct RouteAnalysis<State: StateType, Event: EventType>: Equatable, Sendable {
    /// A state and an event.
    public struct Pair: Hashable, Sendable {
        /// The state.
        public let state: State
        /// The event.
        public let event: Event
    }

    /// The reachable states, in the order in which they were found.
    public internal(set) var reached: [State] = []
    /// The other states of the given list or of the type.
    public internal(set) var unreachable: [State] = []
    /// Reached states that accept nothing and aren't terminal.
    public internal(set) var deadEnds: [State] = []
    /// Reached states that accept events but can't be left, and aren't terminal.
    public internal(set) var traps: [State] = []
    /// The refused events in reached states that aren't terminal, regardless of guards.
    public internal(set) var unhandled: [Pair] = []
    /// Routes that match somewhere, but never before another route.
    public internal(set) var neverWinning: [RouteEdge<State, Event>] = []
    /// Whether every state was walked. If not, there are more than the bound, and the lists cover
    /// only those that were.
    public internal(set) var isComplete = true
}

extension RouteTable {
    /// Walks the reachable states from `initial`, by events and by moves.
    ///
    /// - Parameters:
    ///   - initial: The possible initial states.
    ///   - states: All states; `nil` for those of a `CaseIterable` type, else those of the
    ///     routes, for moves and ``RouteAnalysis/unreachable``.
    ///   - events: All events; `nil` for those of a `CaseIterable` type, else those of the routes.
    ///   - statesMax: The number of states to walk, for machines with infinitely many.
    public func analysis(
        from initial: [State], states: [State]? = nil, events: [Event]? = nil,
        statesMax: Int = 10_000
    ) -> RouteAnalysis<State, Event> {
        let states = states ?? storage.allStates ?? mentionedStates()
        let events = events ?? storage.allEvents ?? mentionedEvents()
        var analysis = RouteAnalysis<State, Event>()
        var known: Set<State> = []
        var waiting = initial.filter { known.insert($0).inserted }[...]
        var winning: Set<RouteEdge<State, Event>.Origin> = []
        while let state = waiting.popFirst() {
            guard analysis.reached.count < statesMax else {
                analysis.isComplete = false
                break
            }
            analysis.reached.append(state)
            if isTerminal(state) { continue }
            let next = examine(state, states, events, &analysis, &winning)
            waiting += next.filter { known.insert($0).inserted }
        }
        analysis.unreachable = states.filter { !known.contains($0) }
        // Routes may win in unreachable states, which are listed already.
        for state in analysis.unreachable where !isTerminal(state) {
            for event in events {
                winning.formUnion(possibleEdges(for: event, in: state).map(\.origin))
            }
        }
        let all = analysis.reached + analysis.unreachable
        analysis.neverWinning = edges().filter { edge in
            guard case .route(let number) = edge.origin, !winning.contains(edge.origin) else {
                return false
            }
            return fitsSomewhere(number, all, events)
        }
        return analysis
    }

    /// Records the oddities of one state, and returns its possible destinations.
    private func examine(
        _ state: State, _ states: [State], _ events: [Event],
        _ analysis: inout RouteAnalysis<State, Event>,
        _ winning: inout Set<RouteEdge<State, Event>.Origin>
    ) -> [State] {
        var next: [State] = []
        for event in events {
            let edges = possibleEdges(for: event, in: state)
            winning.formUnion(edges.map(\.origin))
            next += edges.compactMap(\.toState)
            if edges.isEmpty { analysis.unhandled.append(.init(state: state, event: event)) }
        }
        let computed = storage.stateMappings.flatMap { $0.run(state) }
        next += (states + computed).filter { !moveEdges(from: state, to: $0).isEmpty }
        if next.isEmpty {
            analysis.deadEnds.append(state)
        } else if next.allSatisfy({ $0 == state }) {
            analysis.traps.append(state)
        }
        return next
    }

    /// Whether a route with an event matches any of these pairs. Moves can't be preceded.
    private func fitsSomewhere(_ number: Int, _ states: [State], _ events: [Event]) -> Bool {
        let route = storage.index.routes[number]
        guard let pattern = route.event, events.contains(where: pattern.matches) else {
            return false
        }
        return states.contains {
            route.transition.fromState.matches($0) && isActive(route, in: $0) && !isTerminal($0)
        }
    }

    /// The states of the routes, in the order of declaration.
    func mentionedStates() -> [State] {
        var known: Set<State> = []
        return storage.index.routes.flatMap {
            [$0.transition.fromState.rawValue, $0.transition.toState.rawValue].compactMap { $0 }
        }.filter { known.insert($0).inserted }
    }

    /// The events of the routes, in the order of declaration.
    func mentionedEvents() -> [Event] {
        var known: Set<Event> = []
        return storage.index.routes.compactMap { $0.event?.rawValue }
            .filter { known.insert($0).inserted }
    }
}
