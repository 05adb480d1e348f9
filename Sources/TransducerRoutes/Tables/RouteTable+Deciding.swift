extension RouteTable {
    @usableFromInline typealias Decision = RouteDecision<State, RouteReaction<Event, Output>>
    @usableFromInline typealias Rules = TableRules<State, Event, Output>

    /// The decision for an event. Changes nothing and runs no handler.
    func decide(_ event: Event, rules: inout Rules) -> Decision? {
        if let decision = decideInRegions(event, rules: &rules) { return decision }
        if let winner = storage.index.winner(for: event, in: rules.from, rules: &rules) {
            return Decision(toState: winner.toState, sources: [.route(winner.number)])
        }
        return decideAfterRoutes(event, rules: &rules)
    }

    /// The decision of the first region that accepts the event; regions come before routes.
    @usableFromInline
    func decideInRegions(_ event: Event, rules: inout Rules) -> Decision? {
        for region in storage.regions {
            if let decision = region.apply(event, rules.from, &rules.refusals) { return decision }
        }
        return nil
    }

    /// The decision of requests and mappings; they come after routes.
    @usableFromInline
    func decideAfterRoutes(_ event: Event, rules: inout Rules) -> Decision? {
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

    /// Whether regions, state routes and state mappings allow a destination.
    func decideMove(to: State, rules: inout Rules) -> Decision? {
        let from = rules.from
        for region in storage.regions {
            if let decision = region.move(from, to, &rules.refusals) { return decision }
        }
        let sources = storage.index.sources(
            from: from, to: to, handlers: storage.handlerIndex,
            stateMappings: storage.stateMappings.indices, rules: &rules
        ) { storage.stateMappings[$0].run(from).contains(to) }
        return sources.isEmpty ? nil : Decision(toState: to, sources: sources)
    }
}
