/// Something a machine is asked for.
struct MachineRequest<S: StateType, E: EventType> {
    enum Kind {
        case event(E)
        case state(S)
    }

    let kind: Kind
    let userInfo: Any?

    var event: E? { if case .event(let event) = kind { event } else { nil } }
    var toState: S? { if case .state(let state) = kind { state } else { nil } }
}

/// What a refusal was about; made into words when somebody asks.
struct MachineRefusal<S: StateType, E: EventType> {
    let table: MachineTable<S, E>
    let request: MachineRequest<S, E>
    let fromState: S
    let reason: RouteRefusal<S, E>.Reason

    var refusal: RouteRefusal<S, E> {
        RouteRefusal(
            fromState: fromState, event: request.event, toState: request.toState,
            reason: reason, accepts: table.accepts(in: fromState, but: request.event))
    }
}

extension Machine {
    /// Makes an attempt and all that its handlers cause, depth-first and in order; within a
    /// handler, takes note of it.
    func attempt(_ request: MachineRequest<S, E>) -> Bool {
        if isBusy {
            caused.append(request)
            return true
        }
        isBusy = true
        defer { isBusy = false }
        let before = (state: state, chains: registry.chains.map { ($0, $0.position) })
        var queue = ImmediateQueue<MachineRequest<S, E>>()
        let isTaken = step(request)
        while true {
            let caused = caused
            self.caused = []
            guard queue.put(caused) else {
                state = before.state
                for (chain, position) in before.chains { chain.position = position }
                let max = ImmediateQueue<MachineRequest<S, E>>.countMax
                refuse(request, .tooManyEvents(max), table())
                // What handlers of this refusal ask for would be too much again.
                self.caused = []
                return false
            }
            guard let next = queue.next() else { return isTaken }
            _ = step(next)
        }
    }

    /// One step: finds where it leads, changes the state, runs the handlers.
    private func step(_ request: MachineRequest<S, E>) -> Bool {
        let table = table()
        var rules = MachineRules(
            table: table, event: request.event, from: state, userInfo: request.userInfo)
        let decision =
            switch request.kind {
            case .event(let event): rules.decide(event: event)
            case .state(let to): rules.decide(to: to)
            }
        guard let decision else {
            refuse(request, rules.hasRefused ? .guardRefused([]) : .noRoute, table)
            return false
        }
        let context: Context = (
            event: request.event, fromState: state, toState: decision.toState,
            userInfo: request.userInfo
        )
        let advances = rules.advanceChains(to: decision.toState)
        state = decision.toState
        for advance in advances { advance.chain.position = advance.position }
        let due = handlers(for: decision, context, table)
        let chains = advances.filter { $0.chain.outcome == $0.outcome }.map(\.chain)
        run(due, chains, context)
        return true
    }

    private func handlers(
        for decision: MachineDecision<S>, _ context: Context, _ table: MachineTable<S, E>
    ) -> [MachineRegistry<S, E>.HandlerEntry] {
        let numbers: [Int]
        if let event = context.event, case .route(let number)? = decision.sources.first {
            numbers = table.handlerIndex.handlers(
                afterRoute: number, event: event, from: context.fromState, to: context.toState)
        } else {
            numbers = table.handlerIndex.handlers(
                after: decision.sources, event: context.event, from: context.fromState,
                to: context.toState)
        }
        return numbers.map { table.handlers[$0] }
    }

    /// Runs handlers by their order, those of chains after others of the same order.
    private func run(
        _ handlers: [MachineRegistry<S, E>.HandlerEntry], _ chains: [MachineChain<S, E>],
        _ context: Context
    ) {
        var due = handlers.map { (id: $0.id, order: $0.order, run: $0.run) }
        for chain in chains {
            let place = due.firstIndex { $0.order > chain.order } ?? due.endIndex
            due.insert((id: chain.id, order: chain.order, run: chain.handler), at: place)
        }
        for handler in due where registry.alive.contains(handler.id) { handler.run(context) }
    }

    private func refuse(
        _ request: MachineRequest<S, E>, _ reason: RouteRefusal<S, E>.Reason,
        _ table: MachineTable<S, E>
    ) {
        refused = MachineRefusal(
            table: table, request: request, fromState: state, reason: reason)
        let context: Context = (
            event: request.event, fromState: state, toState: request.toState ?? state,
            userInfo: request.userInfo
        )
        for handler in table.errorHandlers where registry.alive.contains(handler.id) {
            handler.run(context)
        }
    }
}
