extension RouteTable {
    /// Applies one event and runs the handlers. The events that these raise are returned;
    /// ``run(_:event:)`` applies them too.
    ///
    /// - Throws: ``RouteRefusal``; the state is then unchanged. If a refusal handler returns a
    ///   reaction, the step stays and carries the refusal instead.
    @inlinable
    public func step(
        _ state: inout State, event: Event
    ) throws(RouteRefusal<State, Event>) -> RouteStep<State, Event, Output> {
        let storage = storage
        let from = state
        var rules = Rules(storage: storage, event: event, from: from)
        if !storage.regions.isEmpty, let decision = decideInRegions(event, rules: &rules) {
            return finish(decision, &state, event: event)
        }
        if let winner = storage.index.winner(for: event, in: from, rules: &rules) {
            state = winner.toState
            var step = RouteStep<State, Event, Output>(
                event: event, fromState: from, toState: winner.toState)
            if !storage.handlers.isEmpty { react(toRoute: winner.number, event, &step) }
            return step
        }
        if storage.requests.isEmpty {
            // As decideAfterRoutes, but compiled for the types.
            for number in storage.mappings.indices {
                guard let to = storage.mappings[number].run(event, from) else { continue }
                state = to
                var step = RouteStep<State, Event, Output>(
                    event: event, fromState: from, toState: to)
                if !storage.handlers.isEmpty { react(toMapping: number, event, &step) }
                return step
            }
        } else if let decision = decideAfterRoutes(event, rules: &rules) {
            return finish(decision, &state, event: event)
        }
        return try refuse(rules, toState: nil)
    }

    /// Goes to a state without an event, if a state route or a state mapping allows it, and runs
    /// the handlers of all that allow it.
    ///
    /// - Throws: ``RouteRefusal``, as ``step(_:event:)`` does.
    public func move(
        _ state: inout State, to: State
    ) throws(RouteRefusal<State, Event>) -> RouteStep<State, Event, Output> {
        var rules = Rules(storage: storage, event: nil, from: state)
        guard let decision = decideMove(to: to, rules: &rules) else {
            return try refuse(rules, toState: to)
        }
        return finish(decision, &state, event: nil)
    }

    /// Applies one event and all events that handlers raise, depth-first and in order, until a
    /// state is terminal, and returns the steps.
    ///
    /// - Throws: ``RouteRefusal`` if the event or one that it caused is refused, or if it causes
    ///   more than 1,000; the state is then unchanged.
    public func run(
        _ state: inout State, event: Event
    ) throws(RouteRefusal<State, Event>) -> [RouteStep<State, Event, Output>] {
        var candidate = state
        var queue = ImmediateQueue<Event>()
        var steps: [RouteStep<State, Event, Output>] = []
        var next: Event? = event
        while let event = next {
            let step = try step(&candidate, event: event)
            steps.append(step)
            if isTerminal(candidate) { break }
            guard queue.add(step.events) else {
                throw RouteRefusal(
                    fromState: state, event: steps[0].event, toState: nil,
                    reason: .tooManyEvents(ImmediateQueue<Event>.countMax), accepts: [])
            }
            next = queue.next()
        }
        state = candidate
        return steps
    }

    // MARK: Parts of a step

    @inlinable
    func react(
        toRoute number: Int, _ event: Event, _ step: inout RouteStep<State, Event, Output>
    ) {
        let numbers = storage.handlerIndex.handlers(
            afterRoute: number, event: event, from: step.fromState, to: step.toState)
        if !numbers.isEmpty { run(numbers, &step) }
    }

    @inlinable
    func react(
        toMapping number: Int, _ event: Event, _ step: inout RouteStep<State, Event, Output>
    ) {
        let numbers = storage.handlerIndex.handlers(
            after: [.mapping(number)], event: event, from: step.fromState, to: step.toState)
        if !numbers.isEmpty { run(numbers, &step) }
    }

    /// Runs the handlers of a decision, first those inside the region that applied the event.
    func react(to decision: Decision, _ step: inout RouteStep<State, Event, Output>) {
        decision.inner?().append(outputs: &step.outputs, events: &step.events)
        let numbers = storage.handlerIndex.handlers(
            after: decision.sources, event: step.event, from: step.fromState, to: step.toState)
        run(numbers, &step)
    }

    @inlinable
    func run(_ numbers: [Int], _ step: inout RouteStep<State, Event, Output>) {
        let context = RouteContext(
            event: step.event, fromState: step.fromState, toState: step.toState)
        for number in numbers {
            switch storage.handlers[number](context) {
            case .none: break
            case .output(let output): step.outputs.append(output)
            case let reaction: reaction.append(outputs: &step.outputs, events: &step.events)
            }
        }
    }

    @usableFromInline
    func finish(
        _ decision: Decision, _ state: inout State, event: Event?
    ) -> RouteStep<State, Event, Output> {
        var step = RouteStep<State, Event, Output>(
            event: event, fromState: state, toState: decision.toState)
        state = decision.toState
        react(to: decision, &step)
        return step
    }

    @usableFromInline
    func refuse(
        _ rules: Rules, toState: State?
    ) throws(RouteRefusal<State, Event>) -> RouteStep<State, Event, Output> {
        var names: [String] = []
        for event in acceptedEvents(in: rules.from) where event != rules.event {
            let name = storage.eventNames[event] ?? RouteLabel.name(of: event)
            if !names.contains(name) { names.append(name) }
        }
        let refusal = RouteRefusal(
            fromState: rules.from, event: rules.event, toState: toState,
            reason: rules.refusals.isEmpty ? .noRoute : .guardRefused(rules.refusals.names),
            accepts: names)
        var step = RouteStep<State, Event, Output>(
            event: rules.event, fromState: rules.from, toState: rules.from)
        for handler in storage.refusalHandlers {
            guard let reaction = handler(refusal) else { continue }
            reaction.append(outputs: &step.outputs, events: &step.events)
            step.refusal = refusal
        }
        if step.refusal == nil { throw refusal }
        return step
    }
}
