extension RouteTable {
    @usableFromInline typealias Decision = RouteDecision<State, Event, Output>
    @usableFromInline typealias Rules = TableRules<State, Event, Output>

    /// Where an event leads. Changes nothing and runs no handler.
    func decide(_ event: Event, rules: inout Rules) -> Decision? {
        if let decision = decideInRegions(event, rules: &rules) { return decision }
        if let winner = storage.index.winner(for: event, in: rules.from, rules: &rules) {
            return Decision(toState: winner.toState, sources: [.route(winner.number)])
        }
        return decideBehindRoutes(event, rules: &rules)
    }

    /// What regions say to an event; they come before routes.
    @usableFromInline
    func decideInRegions(_ event: Event, rules: inout Rules) -> Decision? {
        for (number, region) in storage.regions.enumerated() {
            if let inside = region.take(event, rules.from, &rules.refusals) {
                return Decision(
                    toState: inside.toState, sources: [.region(number)], inner: inside.react)
            }
        }
        return nil
    }

    /// What requests and mappings say to an event; they come after routes.
    @usableFromInline
    func decideBehindRoutes(_ event: Event, rules: inout Rules) -> Decision? {
        for request in storage.requests {
            guard let to = request.run(event) else { continue }
            if let decision = decideMove(to: to, rules: &rules) { return decision }
        }
        for (number, mapping) in storage.mappings.enumerated() {
            if let to = mapping.run(event, rules.from) {
                return Decision(toState: to, sources: [.mapping(number)])
            }
        }
        return nil
    }

    /// What state routes and state mappings say to a destination. All that allow it are found,
    /// because the handlers of each of them run; what has no handler isn't asked once one allows.
    func decideMove(to: State, rules: inout Rules) -> Decision? {
        for (number, region) in storage.regions.enumerated() {
            if let inside = region.move(rules.from, to, &rules.refusals) {
                return Decision(toState: to, sources: [.region(number)], inner: inside.react)
            }
        }
        var sources: [RouteSource] = []
        for candidate in storage.index.moves(from: rules.from, to: to)
        where sources.isEmpty || storage.handlerIndex.hasOwnHandler(.route(candidate.number)) {
            if !candidate.isChecked || rules.passes(candidate.number, to: to) {
                sources.append(.route(candidate.number))
            }
        }
        for (number, mapping) in storage.stateMappings.enumerated()
        where sources.isEmpty || storage.handlerIndex.hasOwnHandler(.stateMapping(number)) {
            if mapping.run(rules.from).contains(to) { sources.append(.stateMapping(number)) }
        }
        return sources.isEmpty ? nil : Decision(toState: to, sources: sources)
    }
}
