extension Machine {
    /// Makes an attempt and all that its handlers cause, depth-first and in order; within a
    /// handler, records it.
    @inlinable
    func attempt(_ request: MachineRequest<S, E>) -> Bool {
        if isBusy {
            caused.append(request)
            return true
        }
        isBusy = true
        defer { isBusy = false }
        let before = current
        let places = registry.chains.isEmpty ? [] : chainPlaces()
        let isTaken = step(request)
        if caused.isEmpty { return isTaken }
        if stepCaused() { return isTaken }
        undo(request, before, places)
        return false
    }

    /// Restores the state before an attempt that caused too many others, and refuses it.
    @usableFromInline
    func undo(
        _ request: MachineRequest<S, E>, _ state: S,
        _ places: [(chain: MachineChain<S, E>, position: ChainPosition)]
    ) {
        current = state
        for (chain, position) in places { chain.position = position }
        refuse(request, .tooManyEvents(ImmediateQueue<MachineRequest<S, E>>.countMax))
        // Attempts by handlers of this refusal would be too many again.
        caused = []
    }

    /// Makes the caused attempts, until none is left; `false` when there were too many.
    @usableFromInline
    func stepCaused() -> Bool {
        var queue = ImmediateQueue<MachineRequest<S, E>>()
        while true {
            let caused = caused
            self.caused = []
            guard queue.add(caused) else { return false }
            guard let next = queue.next() else { return true }
            _ = step(next)
        }
    }

    /// One step: finds where it leads, changes the state, runs the handlers.
    @inlinable
    func step(_ request: MachineRequest<S, E>) -> Bool {
        let table = table()
        var rules = MachineRules(
            table: table, event: request.event, from: current, userInfo: request.userInfo)
        let decision =
            switch request {
            case .event(let event, _): rules.decide(event: event)
            case .state(let to, _): rules.decide(to: to)
            }
        guard let decision else {
            refuse(request, rules.hasRefused ? .guardRefused([]) : .noRoute)
            return false
        }
        if table.chains.isEmpty {
            let from = current
            current = decision.toState
            if !table.handlers.isEmpty {
                run(
                    handlers(for: decision, request.event, from: from, table), of: table,
                    (request.event, from, decision.toState, request.userInfo))
            }
        } else {
            stepChains(request, decision, &rules)
        }
        return true
    }

    /// The numbers of the handlers to run, in order.
    @inlinable
    func handlers(
        for decision: MachineRules<S, E>.Decision, _ event: E?, from: S, _ table: MachineTable<S, E>
    ) -> [Int] {
        if let event, case .route(let number)? = decision.sources.first {
            return table.handlerIndex.handlers(
                afterRoute: number, event: event, from: from, to: decision.toState)
        }
        return table.handlerIndex.handlers(
            after: decision.sources, event: event, from: from, to: decision.toState)
    }

    /// Runs handlers, except those that were removed meanwhile.
    @inlinable
    func run(_ numbers: [Int], of table: MachineTable<S, E>, _ context: Context) {
        for number in numbers where registry.alive.contains(table.handlers[number].id) {
            table.handlers[number].run(context)
        }
    }

    @usableFromInline
    func refuse(_ request: MachineRequest<S, E>, _ reason: RouteRefusal<S, E>.Reason) {
        let table = table()
        refused = (table, request, state, reason)
        let context: Context = (
            event: request.event, fromState: state, toState: request.toState ?? state,
            userInfo: request.userInfo
        )
        for handler in table.errorHandlers where registry.alive.contains(handler.id) {
            handler.run(context)
        }
    }
}

// MARK: Chains

extension Machine {
    /// The position of each chain.
    @usableFromInline
    func chainPlaces() -> [(chain: MachineChain<S, E>, position: ChainPosition)] {
        registry.chains.map { ($0, $0.position) }
    }

    /// The rest of a step where chains are watched: their conditions are asked before the change,
    /// and their handlers run in order with the others, after those of the same order.
    @usableFromInline
    func stepChains(
        _ request: MachineRequest<S, E>, _ decision: MachineRules<S, E>.Decision,
        _ rules: inout MachineRules<S, E>
    ) {
        let table = rules.table
        let advances = rules.advanceChains(to: decision.toState)
        let context: Context = (request.event, current, decision.toState, request.userInfo)
        current = decision.toState
        for advance in advances { advance.chain.position = advance.position }
        var due = handlers(for: decision, request.event, from: context.fromState, table).map {
            let handler = table.handlers[$0]
            return (id: handler.id, order: handler.order, run: handler.run)
        }
        for advance in advances where advance.chain.outcome == advance.outcome {
            let chain = advance.chain
            let place = due.firstIndex { $0.order > chain.order } ?? due.endIndex
            due.insert((id: chain.id, order: chain.order, run: chain.handler), at: place)
        }
        for handler in due where registry.alive.contains(handler.id) { handler.run(context) }
    }
}
