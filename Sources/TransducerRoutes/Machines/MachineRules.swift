/// The conditions of a machine during one attempt.
@usableFromInline
struct MachineRules<S: StateType, E: EventType>: RouteRules {
    @usableFromInline let table: MachineTable<S, E>
    @usableFromInline let event: E?
    @usableFromInline let from: S
    @usableFromInline let userInfo: Any?
    /// Whether a condition refused.
    @usableFromInline var hasRefused = false
    /// The answers so far, so that no condition is asked again: routes, the handlers that were
    /// added with them and the steps of chains may share one.
    @usableFromInline var answers: [(box: ObjectIdentifier, toState: S, passes: Bool)] = []

    @inlinable
    init(table: MachineTable<S, E>, event: E?, from: S, userInfo: Any?) {
        self.table = table
        self.event = event
        self.from = from
        self.userInfo = userInfo
    }

    @inlinable
    mutating func passes(_ route: Int, to: S) -> Bool {
        let passes = passes(table.boxes[route], to: to)
        if !passes { hasRefused = true }
        return passes
    }

    /// Whether a condition passes; `nil` always does.
    @inlinable
    mutating func passes(_ box: ConditionBox<S, E>?, to: S) -> Bool {
        guard let box else { return true }
        let id = ObjectIdentifier(box)
        if let answer = answers.first(where: { $0.box == id && $0.toState == to }) {
            return answer.passes
        }
        let passes = box.condition(
            (event: event, fromState: from, toState: to, userInfo: userInfo))
        answers.append((id, to, passes))
        return passes
    }
}

extension MachineRules {
    @usableFromInline typealias Decision = RouteDecision<S, Never>

    /// The destination of an event: routes in precedence, then mappings as they were added.
    @inlinable
    mutating func decide(event: E) -> Decision? {
        if let winner = table.index.winner(for: event, in: from, rules: &self) {
            return Decision(toState: winner.toState, sources: [.route(winner.number)])
        }
        for (number, mapping) in table.mappings.enumerated() {
            if let to = mapping(event, from, userInfo) {
                return Decision(toState: to, sources: [.mapping(number)])
            }
        }
        return nil
    }

    /// Whether a state route, a state mapping, or else a route or a mapping with an event allows
    /// going to `to`.
    @inlinable
    mutating func decide(to: S) -> Decision? {
        let (table, from, userInfo) = (table, from, userInfo)
        let sources = table.index.sources(
            from: from, to: to, handlers: table.handlerIndex,
            stateMappings: table.stateMappings.indices, rules: &self
        ) { table.stateMappings[$0](from, userInfo)?.contains(to) == true }
        if !sources.isEmpty { return Decision(toState: to, sources: sources) }
        for candidate in table.index.eventRoutes(from: from, to: to)
        where passes(candidate.number, to: to) {
            return Decision(toState: to, sources: [])
        }
        for mapping in table.mappings where mapping(nil, from, userInfo) == to {
            return Decision(toState: to, sources: [])
        }
        return nil
    }

    /// Whether any route or mapping of the event leads to `to`, whatever wins.
    mutating func hasRoute(event: E, to: S) -> Bool {
        for candidate in table.index.candidates(for: event, in: from)
        where (candidate.toState ?? from) == to && passes(candidate.number, to: to) {
            return true
        }
        return table.mappings.contains { $0(event, from, userInfo) == to }
    }

    /// The positions of chains after a change to `to`. Nothing is changed yet.
    mutating func advanceChains(
        to: S
    ) -> [(chain: MachineChain<S, E>, position: ChainPosition, outcome: ChainPosition.Outcome)] {
        table.chains.map { chain in
            var position = chain.position
            let routes = chain.chain.routes
            let outcome = position.advance(of: routes.count) { step in
                let isStep = routes[step].transitions.transitions.contains {
                    $0.matches(from: from, to: to)
                }
                return isStep && passes(routes[step].box, to: to)
            }
            return (chain, position, outcome)
        }
    }
}
