/// The embedding of a table in another one.
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

    func body(named name: String, number: Int) -> Body {
        Body(
            name: name, isActive: { extract($0) != nil },
            apply: { apply($0, $1, &$2, number) }, move: { move($0, $1, &$2, number) },
            hasWay: { hasWay($0, $1) }, accepted: { accepted($0) },
            innerLabel: { extract($0).map { RouteLabel.of($0) } },
            edges: { edges($0, $1, name) }, moveEdges: { moveEdges($0, $1, name) },
            diagram: { drawn(prefix: $0) })
    }

    /// The state inside, unless it is terminal.
    private func open(_ state: State) -> Child? {
        extract(state).flatMap { table.isTerminal($0) ? nil : $0 }
    }

    private func apply(
        _ event: Event, _ state: State, _ refusals: inout GuardRefusals, _ number: Int
    ) -> Body.Decision? {
        guard let child = open(state), let childEvent = self.event(event) else { return nil }
        var rules = TableRules(storage: table.storage, event: childEvent, from: child)
        let decision = table.decide(childEvent, rules: &rules)
        refusals.add(rules.refusals)
        return decision.map { around($0, event: childEvent, child, state, number) }
    }

    private func move(
        _ from: State, _ to: State, _ refusals: inout GuardRefusals, _ number: Int
    ) -> Body.Decision? {
        guard let (child, wanted) = sides(from, to) else { return nil }
        var rules = TableRules(storage: table.storage, event: nil, from: child)
        let decision = table.decideMove(to: wanted, rules: &rules)
        refusals.add(rules.refusals)
        return decision.map { around($0, event: nil, child, from, number) }
    }

    /// The states inside, of a change that changes only this region.
    private func sides(_ from: State, _ to: State) -> (from: Child, to: Child)? {
        guard let child = open(from), let wanted = extract(to), around(wanted, in: from) == to
        else { return nil }
        return (child, wanted)
    }

    /// A state with another one inside.
    private func around(_ child: Child, in state: State) -> State {
        var state = state
        embed(child, &state)
        return state
    }

    private func around(
        _ decision: RouteTable<Child, ChildEvent, ChildOutput>.Decision, event: ChildEvent?,
        _ child: Child, _ state: State, _ number: Int
    ) -> Body.Decision {
        Body.Decision(
            toState: around(decision.toState, in: state), sources: [.region(number)]
        ) {
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

    private func edges(_ event: Event, _ state: State, _ name: String) -> [Body.Edge] {
        guard let child = open(state), let childEvent = self.event(event) else { return [] }
        return table.possibleEdges(for: childEvent, in: child).map {
            around($0, .event(.some(event)), state, name)
        }
    }

    private func moveEdges(_ from: State, _ to: State, _ name: String) -> [Body.Edge] {
        guard let (child, wanted) = sides(from, to) else { return [] }
        return table.moveEdges(from: child, to: wanted).map { around($0, .move, from, name) }
    }

    private func around(
        _ edge: RouteEdge<Child, ChildEvent>, _ trigger: Body.Edge.Trigger, _ state: State,
        _ name: String
    ) -> Body.Edge {
        Body.Edge(
            trigger, from: .some(state),
            to: edge.toState.map { .state(around($0, in: state)) } ?? .computed,
            isGuarded: edge.isGuarded, guardName: edge.guardName, origin: .region(name))
    }

    private func drawn(prefix: String) -> StateDiagram {
        var drawing = RouteDrawing(table: table, prefix: prefix)
        drawing.draw(states: table.storage.allStates, events: table.storage.allEvents)
        return drawing.diagram
    }
}
