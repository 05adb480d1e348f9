import CEL

/// One step of an instance, by the algorithm of SCXML 1.0 appendix D.
///
/// It works on a copy of the state. If it throws, the copy is discarded.
struct Interpreter {
    let chart: Chart
    let environment: ChartEnvironment
    var state: ChartState
    var requests: [ChartRequest] = []
    /// The internal events; those before ``nextInternal`` were taken.
    var internalEvents: [ChartEvent] = []
    var nextInternal = 0
    /// The states that were entered and whose invocations are due, in document order.
    var statesToInvoke: [Int32] = []
    /// False as soon as a top-level final state is reached.
    var isRunning = true
    var isChanged = false
    /// The states that were entered, if the environment asks for them.
    var entered: [Int32] = []
    /// The output of the machine, once it is not running.
    var output = CELValue.null

    /// The variables of expressions: context, event, self, meta, now, rand.
    var variables: [CELValue]
    /// Whether the context was changed since it became a variable.
    var isContextStale = true
    var expressionSteps = ChartLimits.expressionStepsMax
    var actionsLeft = ChartLimits.actionsMax
    var microsteps = 0
    /// The visits of states that are left.
    var visitsLeft = ChartLimits.visitsMax
    /// The requests with values that are left, and the bytes of these.
    var requestsLeft = ChartLimits.requestsMax
    var requestBytesLeft = ChartLimits.requestBytesMax
    /// The bytes that were assigned since the context was measured.
    var assignedBytes = 0

    init(_ chart: Chart, _ state: ChartState, _ environment: ChartEnvironment) {
        self.chart = chart
        self.state = state
        self.environment = environment
        variables = [
            .null, .null, chart.usesSelf ? environment.selfValue : .null, .null,
            .timestamp(environment.now), .double(environment.rand),
        ]
    }

    var isLenient: Bool { chart.errors == .scxml }

    // MARK: Steps

    /// Starts the machine (SCXML appendix D, `interpret`).
    mutating func start(input: CELMap) throws(ChartFailure) {
        try fillContext(input)
        var set = EntrySet()
        addDescendants(0, &set)
        microsteps += 1
        isChanged = true
        try enter(set)
        try settle()
    }

    /// Applies an external event, a timer's or a platform event (SCXML appendix D,
    /// `mainEventLoop`, the part after the external event was dequeued).
    mutating func take(_ event: ChartEvent) throws(ChartFailure) {
        guard event.type.utf8.count <= ChartLimits.nameBytesMax else {
            throw ChartFailure(
                .eventRejected,
                "an event's type may have \(ChartLimits.nameBytesMax) bytes")
        }
        guard !isLate(event) else { return }
        bind(event)
        let wasHandedOn = try handOn(event)
        let isTaken = try takeTransitions(event)
        if wasHandedOn { isChanged = true }
        if !isTaken { try keepOrDrop(event, wasHandedOn: wasHandedOn) }
        try settle()
        // The transitions and the context that decide change in microsteps, and by `finalize`.
        if !state.deferred.isEmpty, isRunning, microsteps > 0 || wasHandedOn {
            try takeDeferred()
        }
    }

    /// Whether it is the end of an invocation that was stopped, and runs again under its id.
    private func isLate(_ event: ChartEvent) -> Bool {
        guard event.kind == .platform, let serial = event.invocationSerial else { return false }
        return state.invocations.contains { $0.id == event.invocation && $0.serial != serial }
    }

    /// Selects and takes the transitions of an event; false if there are none.
    private mutating func takeTransitions(_ event: ChartEvent) throws(ChartFailure) -> Bool {
        let selected = try selectTransitions(event)
        guard !selected.isEmpty else { return false }
        try microstep(selected)
        return true
    }

    /// Runs `finalize` and hands the event on (SCXML 6.5 and 6.4.1, `autoforward`).
    private mutating func handOn(_ event: ChartEvent) throws(ChartFailure) -> Bool {
        guard !state.invocations.isEmpty, event.timer == nil else { return false }
        var isHandedOn = false
        for invocation in state.invocations {
            let plan = chart.invocations[Int(invocation.plan)]
            let isFromIt = event.invocationSerial == invocation.serial
            if isFromIt, !plan.finalize.isEmpty {
                try run(plan.finalize)
                isHandedOn = true
            }
            // What the server tells this instance is about its own invocations, not the child's.
            if plan.autoforwards, event.kind == .external, !ChartEvent.isOfServer(event.type) {
                var forwarded = event
                // The number is one of this instance, not of the child.
                forwarded.invocationSerial = nil
                try request(
                    .forward(forwarded, id: invocation.id, serial: invocation.serial),
                    carrying: ContextValue.measure(forwarded.members))
                isHandedOn = true
            }
        }
        // An invocation that has ended can't be sent to, nor stopped.
        if event.kind == .platform, let serial = event.invocationSerial {
            state.invocations.removeAll { $0.serial == serial }
        }
        return isHandedOn
    }

    /// Defers, rejects or drops an event that no transition takes.
    private mutating func keepOrDrop(
        _ event: ChartEvent, wasHandedOn: Bool
    ) throws(ChartFailure) {
        guard event.kind == .external else { return }
        if isDeferred(event) {
            state.deferred.append(event)
            try checkDeferred()
            isChanged = true
        } else if chart.isStrict, !wasHandedOn {
            throw ChartFailure(.eventRejected, whyNoneTakes(event))
        }
    }

    /// Which of the two it is: no transition for an event, or one whose guard is false.
    private func whyNoneTakes(_ event: ChartEvent) -> String {
        let matched = chart.descriptors.match(event.type)
        let isGuarded = state.configuration.contains { active in
            chart.states[Int(active)].on.next(after: -1, matched) != nil
        }
        return isGuarded
            ? "no guard of a transition on '\(event.type)' is true now"
            : "no active state takes '\(event.type)'"
    }

    private func isDeferred(_ event: ChartEvent) -> Bool {
        let matched = chart.descriptors.match(event.type)
        return state.configuration.contains { active in
            chart.states[Int(active)].deferred.contains { matched.contains($0) }
        }
    }

    private func checkDeferred() throws(ChartFailure) {
        guard state.deferred.count <= ChartLimits.deferredMax else {
            throw ChartFailure(
                .eventRejected, "the instance defers \(ChartLimits.deferredMax) events already")
        }
        let bytes = state.deferred.reduce(0) { $0 + ContextValue.measure($1.members) }
        guard bytes <= ChartLimits.deferredBytesMax else {
            throw ChartFailure(
                .evalLimit,
                "deferred events may have \(ChartLimits.deferredBytesMax) bytes")
        }
    }

    /// Takes deferred events, oldest first, until no transition takes one.
    private mutating func takeDeferred() throws(ChartFailure) {
        var index = 0
        while isRunning, index < state.deferred.count {
            let event = state.deferred[index]
            bind(event)
            let selected = try selectTransitions(event)
            guard !selected.isEmpty else {
                index += 1
                continue
            }
            state.deferred.remove(at: index)
            try microstep(selected)
            try settle()
            // Other states may take older ones now.
            index = 0
        }
    }

    /// Completes the macrostep: eventless transitions first, then internal events, then the
    /// invocations of states that were entered; and the end of the machine.
    mutating func settle() throws(ChartFailure) {
        repeat {
            try completeMacrostep()
            guard isRunning else { break }
            let entered = statesToInvoke
            statesToInvoke.removeAll()
            for index in entered { try startInvocations(of: index) }
        } while nextInternal < internalEvents.count
        if !isRunning, !state.isFinished { try finish() }
        try checkContext()
    }

    private mutating func completeMacrostep() throws(ChartFailure) {
        while isRunning {
            let selected = try selectEventless()
            if !selected.isEmpty {
                try microstep(selected)
                continue
            }
            guard nextInternal < internalEvents.count else { break }
            let event = internalEvents[nextInternal]
            nextInternal += 1
            bind(event)
            let taken = try selectTransitions(event)
            if !taken.isEmpty { try microstep(taken) }
        }
    }

    /// SCXML appendix D, `exitInterpreter`: exit actions run, invocations end. The configuration
    /// stays for those who ask for the state.
    mutating func finish() throws(ChartFailure) {
        let reached = state.configuration
        isRunning = false
        for index in reached.reversed() {
            try leave(index)
            state.configuration.removeLast()
        }
        state.configuration = reached
        state.isFinished = true
        state.deferred = []
        state.invocations = []
        requests.append(.finish(output: output))
    }

    /// Makes an event the value of `event` and `meta` until the next one is taken (SCXML 5.10).
    mutating func bind(_ event: ChartEvent) {
        variables[1] = .map(event.members)
        if chart.usesMeta { variables[3] = event.meta }
    }

    /// What the event has cost, in steps of expressions.
    var work: Int {
        ChartLimits.workMax - max(0, expressionSteps) - max(0, actionsLeft)
            - max(0, visitsLeft) / ChartLimits.visitsPerStep
    }

    /// Counts visits of states, which large configurations make expensive.
    mutating func count(visits: Int) throws(ChartFailure) {
        visitsLeft -= visits
        guard visitsLeft >= 0 else {
            throw ChartFailure(
                .stepLimit, "an event may cause \(ChartLimits.visitsMax) visits of states")
        }
    }

    /// Adds a request that carries values, so that a step never holds much more than a server
    /// accepts.
    mutating func request(
        _ request: ChartRequest, carrying bytes: @autoclosure () -> Int
    ) throws(ChartFailure) {
        requestsLeft -= 1
        guard requestsLeft >= 0 else {
            throw ChartFailure(
                .stepLimit,
                "an event may cause \(ChartLimits.requestsMax) outputs, sends and invocations")
        }
        requestBytesLeft -= bytes()
        guard requestBytesLeft >= 0 else {
            throw ChartFailure(
                .evalLimit,
                "the outputs, sends and invocations of an event may have "
                    + "\(ChartLimits.requestBytesMax) bytes")
        }
        requests.append(request)
    }

    mutating func raise(_ event: ChartEvent) throws(ChartFailure) {
        internalEvents.append(event)
        guard internalEvents.count <= ChartLimits.internalEventsMax else {
            throw ChartFailure(
                .stepLimit,
                "an event may cause \(ChartLimits.internalEventsMax) internal events")
        }
    }
}
