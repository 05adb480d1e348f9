/// How a table is put into another.
struct RouteEmbedding<
    State: StateType, Event: EventType, Output,
    Child: StateType, ChildEvent: EventType, ChildOutput
>: Sendable {
    let table: RouteTable<Child, ChildEvent, ChildOutput>
    let extract: @Sendable (State) -> Child?
    let embed: @Sendable (Child, inout State) -> Void
    let event: @Sendable (Event) -> ChildEvent?
    let raise: @Sendable (ChildEvent) -> Event
    let output: @Sendable (ChildOutput) -> Output?

    typealias Body = RouteRegionBody<State, Event, Output>

    func body(named name: String) -> Body {
        Body(
            name: name, isActive: { extract($0) != nil },
            take: { take($0, $1, &$2) }, move: { move($0, $1, &$2) },
            hasWay: { hasWay($0, $1) }, accepted: { accepted($0) },
            innerLabel: { extract($0).map { RouteLabel.of($0) } },
            ways: { ways($0, $1, name) }, moveWays: { moveWays($0, $1, name) },
            diagram: { drawn(prefix: $0) })
    }

    /// The state inside, unless it takes no more events.
    private func open(_ state: State) -> Child? {
        extract(state).flatMap { table.isTerminal($0) ? nil : $0 }
    }

    private func take(
        _ event: Event, _ state: State, _ refusals: inout GuardRefusals
    ) -> Body.Inside? {
        guard let child = open(state), let childEvent = self.event(event) else { return nil }
        var rules = TableRules(storage: table.storage, event: childEvent, from: child)
        let decision = table.decide(childEvent, rules: &rules)
        refusals.add(rules.refusals)
        return decision.map { inside($0, event: childEvent, child, state) }
    }

    private func move(
        _ from: State, _ to: State, _ refusals: inout GuardRefusals
    ) -> Body.Inside? {
        guard let child = open(from), let wanted = extract(to) else { return nil }
        var reached = from
        embed(wanted, &reached)
        // Whatever else differs is no matter of this region's.
        guard reached == to else { return nil }
        var rules = TableRules(storage: table.storage, event: nil, from: child)
        let decision = table.decideMove(to: wanted, rules: &rules)
        refusals.add(rules.refusals)
        return decision.map { inside($0, event: nil, child, from) }
    }

    private func inside(
        _ decision: RouteDecision<Child, ChildEvent, ChildOutput>, event: ChildEvent?,
        _ child: Child, _ state: State
    ) -> Body.Inside {
        var to = state
        embed(decision.toState, &to)
        return Body.Inside(toState: to) {
            var step = RouteStep<Child, ChildEvent, ChildOutput>(
                event: event, fromState: child, toState: decision.toState)
            table.react(to: decision, &step)
            return .several(
                step.outputs.compactMap(output).map(RouteReaction.output)
                    + step.events.map { .event(raise($0)) })
        }
    }

    private func hasWay(_ event: Event, _ state: State) -> Bool {
        guard let child = open(state), let childEvent = self.event(event) else { return false }
        return table.hasWay(for: childEvent, in: child)
    }

    private func accepted(_ state: State) -> [Event] {
        open(state).map { table.acceptedEvents(in: $0).map(raise) } ?? []
    }

    private func ways(_ event: Event, _ state: State, _ name: String) -> [RouteWay<State, Event>] {
        guard let child = open(state), let childEvent = self.event(event) else { return [] }
        return table.ways(for: childEvent, in: child).map { around($0, state, name) }
    }

    private func moveWays(
        _ from: State, _ to: State, _ name: String
    ) -> [RouteWay<State, Event>] {
        guard let child = open(from), let wanted = extract(to) else { return [] }
        var reached = from
        embed(wanted, &reached)
        guard reached == to else { return [] }
        return table.moveWays(from: child, to: wanted).map { around($0, from, name) }
    }

    private func around(
        _ way: RouteWay<Child, ChildEvent>, _ state: State, _ name: String
    ) -> RouteWay<State, Event> {
        var to = state
        embed(way.toState, &to)
        return RouteWay(
            toState: to, isGuarded: way.isGuarded, guardName: way.guardName,
            origin: .region(name))
    }

    private func drawn(prefix: String) -> StateDiagram {
        var drawing = RouteDrawing(table: table, prefix: prefix)
        drawing.draw(states: table.storage.allStates, events: table.storage.allEvents)
        return drawing.diagram
    }
}
