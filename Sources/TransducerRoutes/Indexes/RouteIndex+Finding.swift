extension RouteIndex {
    /// The route of `event` in `state`: the first in precedence that passes.
    @inlinable
    func winner(
        for event: E, in state: S, rules: inout some RouteRules<S>
    ) -> (number: Int, toState: S)? {
        if let list = byPair[Pair(state: state, event: event)],
            let winner = first(of: list, in: state, rules: &rules)
        {
            return winner
        }
        if !byEvent.isEmpty, let list = byEvent[event],
            let winner = first(of: list, in: state, rules: &rules)
        {
            return winner
        }
        if !byState.isEmpty, let list = byState[state],
            let winner = first(of: list, in: state, rules: &rules)
        {
            return winner
        }
        return first(of: always, in: state, rules: &rules)
    }

    @inlinable
    func first(
        of list: [RouteCandidate<S>], in state: S, rules: inout some RouteRules<S>
    ) -> (number: Int, toState: S)? {
        for candidate in list {
            let to = candidate.toState ?? state
            if !candidate.isChecked || rules.passes(candidate.number, to: to) {
                return (candidate.number, to)
            }
        }
        return nil
    }

    /// Every route for the pair, in precedence.
    func candidates(for event: E, in state: S) -> [RouteCandidate<S>] {
        (byPair[Pair(state: state, event: event)] ?? []) + (byEvent[event] ?? [])
            + (byState[state] ?? []) + always
    }

    /// Whether the pair has a route for which the predicate holds.
    func hasCandidate(for event: E, in state: S, where isWanted: (Int) -> Bool) -> Bool {
        func has(_ list: [RouteCandidate<S>]?) -> Bool {
            list?.contains { isWanted($0.number) } ?? false
        }
        return has(byPair[Pair(state: state, event: event)])
            || !byEvent.isEmpty && has(byEvent[event])
            || !byState.isEmpty && has(byState[state]) || has(always)
    }

    /// Every route without an event from the one state to the other, in precedence.
    @inlinable
    func moves(from: S, to: S) -> [RouteCandidate<S>] {
        ((movesByState[from] ?? []) + movesFromAny).filter { ($0.toState ?? to) == to }
    }

    /// All routes and state mappings that allow a change to `to`, because the handlers of each of
    /// them run. Once one allows it, only those with their own handlers are asked.
    @inlinable
    func sources(
        from: S, to: S, handlers: HandlerIndex<S, E>, stateMappings: Range<Int>,
        rules: inout some RouteRules<S>, allows: (_ stateMapping: Int) -> Bool
    ) -> [RouteSource] {
        var sources: [RouteSource] = []
        for candidate in moves(from: from, to: to)
        where sources.isEmpty || handlers.hasOwnHandler(.route(candidate.number)) {
            if !candidate.isChecked || rules.passes(candidate.number, to: to) {
                sources.append(.route(candidate.number))
            }
        }
        for number in stateMappings
        where sources.isEmpty || handlers.hasOwnHandler(.stateMapping(number)) {
            if allows(number) { sources.append(.stateMapping(number)) }
        }
        return sources
    }

    /// Every route with an event from the one state to the other, in precedence. One to `.any`
    /// leads to the present state.
    @inlinable
    func eventRoutes(from: S, to: S) -> [RouteCandidate<S>] {
        eventRoutes.filter {
            routes[$0.number].transition.fromState.matches(from) && ($0.toState ?? from) == to
        }
    }
}
