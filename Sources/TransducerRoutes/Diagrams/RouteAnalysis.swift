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

    /// The states that can be reached, in the order in which they were found.
    public internal(set) var reached: [State] = []
    /// The states that can't, of those that were named or that the type lists.
    public internal(set) var unreachable: [State] = []
    /// Reached states that take nothing at all and aren't terminal.
    public internal(set) var deadEnds: [State] = []
    /// Reached states that take something but can't be left, and aren't terminal.
    public internal(set) var traps: [State] = []
    /// What is refused, in reached states that aren't terminal, whatever guards say.
    public internal(set) var unhandled: [Pair] = []
    /// Routes that fit somewhere, but wherever they do another one takes the event first.
    public internal(set) var neverWinning: [RouteEdge<State, Event>] = []
    /// Whether every state was walked. If there are more than the bound, it is false and all the
    /// above is about those that were.
    public internal(set) var isComplete = true
}

extension RouteTable {
    /// Walks the states that can be reached from `initial`, by events and by moves.
    ///
    /// - Parameters:
    ///   - initial: Where the machine may begin.
    ///   - states: All states there are. `nil` takes those the type lists, if it is
    ///     `CaseIterable`; else moves lead only to the states the routes name, and
    ///     ``RouteAnalysis/unreachable`` is about these.
    ///   - events: All events there are. `nil` takes those the type lists, else those the routes
    ///     name.
    ///   - statesMax: How many states are walked at most, for machines that have endlessly many.
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
        // Routes may win in states that weren't reached; that they aren't is said above.
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

    /// Whether a route with an event fits any of these pairs. Moves need no win.
    private func fitsSomewhere(_ number: Int, _ states: [State], _ events: [Event]) -> Bool {
        let route = storage.index.routes[number]
        guard let pattern = route.event, events.contains(where: pattern.matches) else {
            return false
        }
        return states.contains {
            route.transition.fromState.matches($0) && isActive(route, in: $0) && !isTerminal($0)
        }
    }

    /// The states that routes name, in the order of declaration.
    func mentionedStates() -> [State] {
        var known: Set<State> = []
        return storage.index.routes.flatMap {
            [$0.transition.fromState.rawValue, $0.transition.toState.rawValue].compactMap { $0 }
        }.filter { known.insert($0).inserted }
    }

    /// The events that routes name, in the order of declaration.
    func mentionedEvents() -> [Event] {
        var known: Set<Event> = []
        return storage.index.routes.compactMap { $0.event?.rawValue }
            .filter { known.insert($0).inserted }
    }
}
