public import CEL

/// Runs a chart by itself in virtual time, with its timers, its own inbox, and the machines that it
/// invokes or sends to.
///
/// Events are delivered one at a time, in the order in which they were sent; each is processed
/// completely before the next one. Time moves only by ``advance(milliseconds:)`` and
/// ``runToEnd()``, from one due timer to the next. The same calls always give the same result.
/// As on a server, an event that is sent to an instance which doesn't exist creates it, if its
/// machine is among those of the run.
public struct ChartRun: Sendable {
    /// Something that happened in the run.
    public struct Record: Sendable {
        /// The address of the instance.
        public let address: String
        /// The virtual time.
        public let time: CELTimestamp
        /// The event or request.
        public let entry: Entry
    }

    /// The states around a step.
    public struct Change: Sendable {
        /// The chart of the instance.
        public let chart: Chart
        /// The state before; nil for the start.
        public let before: ChartState?
        /// The state after.
        public let after: ChartState
        /// Whether a transition was taken or an action performed.
        public let isChanged: Bool
        /// The ids of the states that were entered, also of those that were left again.
        public let entered: [String]
    }

    /// The kinds of records.
    public enum Entry: Sendable {
        /// An event that was taken.
        case event(ChartEvent)
        /// The timer of a state, by its id, that has fired.
        case timer(state: String)
        /// The step of the start or of the event before; its requests follow.
        case step(Change)
        /// A request or a handler that was invoked, and now waits in ``pending``.
        case asked(ChartInvocation)
        /// An output.
        case output(type: String, CELMap)
        /// A line of the log.
        case log(label: String?, CELValue)
        /// An event that was refused; the state is as it was before it.
        case failure(ChartFailure)
        /// An event that was sent to an address that nobody has.
        case undelivered(ChartEvent, address: String)
        /// The instance ended.
        case finished(output: CELValue)
    }

    /// An invocation that waits for an answer: a request or a handler.
    public struct Pending: Sendable {
        /// The address of the instance that asks.
        public let address: String
        /// The invocation.
        public let invocation: ChartInvocation
    }

    /// The definitions by name that can be invoked.
    public let machines: [String: Chart]
    /// Whether the caller answers requests and handlers; without, they fail at once.
    public let answersInvocations: Bool
    /// The address of the machine that is run.
    public let address: String
    /// The virtual time.
    public private(set) var now: CELTimestamp
    /// Milliseconds since the start.
    public internal(set) var elapsed: Int64 = 0
    /// What happened, in order, since it was last cleared; the caller clears it. With more than
    /// ``ChartLimits/recordsMax`` the run is given up.
    public var records: [Record] = []
    /// Requests and handlers that wait for an answer, oldest first.
    public internal(set) var pending: [Pending] = []

    var instances: [String: RunInstance] = [:]
    /// Deliveries in order; those before `nextDelivery` are done.
    var deliveries: [RunDelivery] = []
    var nextDelivery = 0
    var timers = RunTimerQueue()
    var random: UInt64

    /// A run of a chart, which isn't started yet.
    ///
    /// - Parameters:
    ///   - machines: Definitions that can be invoked by name.
    ///   - id: The name of the instance.
    ///   - start: The virtual time at the start.
    ///   - seed: For `rand`.
    ///   - input: Replaces members of the context with the same names.
    ///   - answersInvocations: Whether the caller answers the requests and handlers in ``pending``.
    ///     Without, they fail at once with the code `UNKNOWN_HANDLER`.
    public init(
        _ chart: Chart, machines: [String: Chart] = [:], id: String = "main",
        start: CELTimestamp, seed: UInt64 = 1, input: CELMap = CELMap(),
        answersInvocations: Bool = true
    ) {
        self.machines = machines
        self.answersInvocations = answersInvocations
        let name = chart.name ?? "machine"
        address = "\(name)/\(id)"
        now = start
        random = seed
        instances[address] = RunInstance(chart: chart, machine: name, id: id, parent: nil)
        deliveries.append(RunDelivery(to: address, content: .start(input)))
    }

    // MARK: The machine that is run

    /// The chart and the state of the machine that is run; nil before the start, or if the start
    /// failed.
    public var state: ChartState? { instances[address]?.state }

    /// The chart that is run.
    public var chart: Chart? { instances[address]?.chart }

    /// The ids of the active states without children; final ones too.
    public var activeStates: [String] {
        guard let instance = instances[address], let state = instance.state else { return [] }
        return instance.chart.activeStates(of: state)
    }

    /// Whether the machine is finished.
    public var isFinished: Bool { state?.isFinished ?? false }

    /// The output of the machine, once it is finished.
    public internal(set) var output: CELValue?

    /// The address and the state of each instance that exists, in the order of the addresses.
    public var instanceStates: [(address: String, chart: Chart, state: ChartState)] {
        instances.keys.sorted().compactMap { address in
            guard let instance = instances[address], let state = instance.state else { return nil }
            return (address, instance.chart, state)
        }
    }

    /// The milliseconds until the next timer or delayed send is due; nil if none runs.
    public var nextDue: Int64? { timers.first.map { max(0, $0.due - elapsed) } }

    /// A timer or a delayed send that runs.
    public struct Waiting: Sendable {
        /// The address of the instance that has started it.
        public let address: String
        /// The milliseconds until it is due.
        public let milliseconds: Int64
        /// The id of the timer's state; nil for a send.
        public let state: String?
        /// The event and the address of a delayed send; nil for a timer.
        public let send: (event: ChartEvent, to: String)?
    }

    /// The timers and delayed sends that run, the next one first.
    public var waiting: [Waiting] {
        timers.all.map { timer in
            var state: String?
            var send: (event: ChartEvent, to: String)?
            if case .event(let event) = timer.delivery.content {
                if let id = event.timer {
                    state = instances[timer.owner]?.chart.name(of: id)
                } else {
                    send = (event, timer.delivery.to)
                }
            }
            return Waiting(
                address: timer.owner, milliseconds: max(0, timer.due - elapsed), state: state,
                send: send)
        }
    }

    /// Whether a condition on the machine that is run is true now.
    ///
    /// - Throws: ``ChartFailure`` if it has no truth value, or the machine hasn't started.
    public func holds(_ condition: ChartCondition) throws(ChartFailure) -> Bool {
        guard let state else {
            throw ChartFailure(.evalError, "the machine hasn't started")
        }
        return try holds(condition, in: state, at: now)
    }

    /// Whether a condition was true in a state of the machine that is run, which a step has left.
    ///
    /// - Throws: ``ChartFailure`` if it has no truth value.
    public func holds(
        _ condition: ChartCondition, in state: ChartState, at time: CELTimestamp
    ) throws(ChartFailure) -> Bool {
        guard let instance = instances[address] else {
            throw ChartFailure(.evalError, "there is no machine")
        }
        return try condition.holds(
            in: state,
            ChartEnvironment(
                now: time, id: instance.id, machine: instance.machine, version: instance.version))
    }

    // MARK: Driving

    /// Starts the machine and processes everything that it causes at once.
    ///
    /// - Throws: ``ChartRunError`` if that doesn't end.
    public mutating func start() throws(ChartRunError) { try settle() }

    /// Sends an event to the machine, as a client does, and processes everything that it causes.
    ///
    /// - Throws: ``ChartRunError`` if that doesn't end.
    public mutating func send(_ event: ChartEvent) throws(ChartRunError) {
        try send(event, to: address)
    }

    /// Sends an event to an instance of the run, as a client does. One that doesn't fit its
    /// declaration is recorded as refused.
    ///
    /// - Throws: ``ChartRunError`` if what it causes doesn't end.
    public mutating func send(
        _ event: ChartEvent, to address: String
    ) throws(ChartRunError) {
        var event = event
        if event.way == nil, event.kind == .external { event.way = .client }
        if let fault = instances[address]?.chart.fault(of: event) {
            record(
                address,
                .failure(
                    ChartFailure(.eventRejected, "\(fault.path): \(fault.message)")))
            return
        }
        deliveries.append(RunDelivery(to: address, content: .event(event)))
        try settle()
    }

    /// Lets time pass. Timers that become due fire one after the other, each in its own step and at
    /// its own time.
    ///
    /// - Throws: ``ChartRunError`` if what they cause doesn't end.
    public mutating func advance(milliseconds: Int64) throws(ChartRunError) {
        let (target, overflow) = elapsed.addingReportingOverflow(max(0, milliseconds))
        guard !overflow else { throw .endOfTime }
        try settle()
        var fired = 0
        while let due = timers.first?.due, due <= target {
            fired += 1
            guard fired <= ChartLimits.deliveriesMax else { throw .endless }
            try fireNext()
        }
        try move(to: target)
    }

    /// Runs until the machine is finished, or nothing is left that could happen by itself. Time
    /// moves only when nothing else can happen.
    ///
    /// - Throws: ``ChartRunError`` if that doesn't end.
    public mutating func runToEnd() throws(ChartRunError) {
        try settle()
        var fired = 0
        while !isFinished, timers.first != nil {
            fired += 1
            guard fired <= ChartLimits.deliveriesMax else { throw .endless }
            try fireNext()
        }
    }

    private mutating func fireNext() throws(ChartRunError) {
        guard let timer = timers.popFirst() else { return }
        try move(to: max(elapsed, timer.due))
        deliveries.append(timer.delivery)
        try settle()
    }

    private mutating func move(to time: Int64) throws(ChartRunError) {
        let passed = CELDuration(
            nanoseconds: (time - elapsed).multipliedReportingOverflow(
                by: 1_000_000
            ).partialValue)
        let (_, overflow) = (time - elapsed).multipliedReportingOverflow(by: 1_000_000)
        guard !overflow, let later = now.adding(passed) else { throw .endOfTime }
        now = later
        elapsed = time
    }

    /// Answers an invocation that waits, and processes everything that this causes.
    ///
    /// - Returns: False if no such invocation waits.
    /// - Throws: ``ChartRunError`` if what it causes doesn't end.
    @discardableResult
    public mutating func answer(
        _ id: String, with output: CELValue
    ) throws(ChartRunError) -> Bool {
        guard let index = pending.firstIndex(where: { $0.invocation.id == id }) else {
            return false
        }
        let waiting = pending.remove(at: index)
        deliver(
            .done(invocation: id, serial: waiting.invocation.serial, output: output),
            to: waiting.address)
        try settle()
        return true
    }

    /// Lets an invocation that waits fail, and processes everything that this causes.
    ///
    /// - Returns: False if no such invocation waits.
    /// - Throws: ``ChartRunError`` if what it causes doesn't end.
    @discardableResult
    public mutating func fail(
        _ id: String, code: String, message: String
    ) throws(ChartRunError) -> Bool {
        guard let index = pending.firstIndex(where: { $0.invocation.id == id }) else {
            return false
        }
        let waiting = pending.remove(at: index)
        deliver(
            .failed(
                invocation: id, serial: waiting.invocation.serial, code: code, message: message),
            to: waiting.address)
        try settle()
        return true
    }

    // MARK: Deliveries

    /// Sends an event to an instance.
    ///
    /// - Parameter invocation: The number of the invocation that it answers, if it does: once that
    ///   has been stopped, the answer doesn't count, as on a server.
    mutating func deliver(
        _ event: ChartEvent, to address: String, while invocation: Int64? = nil
    ) {
        deliveries.append(
            RunDelivery(to: address, content: .event(event), invocation: invocation))
    }

    /// Processes deliveries until none is left.
    private mutating func settle() throws(ChartRunError) {
        var count = 0
        while nextDelivery < deliveries.count {
            count += 1
            guard count <= ChartLimits.deliveriesMax,
                deliveries.count - nextDelivery <= ChartLimits.pendingMax,
                timers.count <= ChartLimits.waitingMax,
                records.count <= ChartLimits.recordsMax
            else { throw .endless }
            let delivery = deliveries[nextDelivery]
            nextDelivery += 1
            process(delivery)
            if nextDelivery >= 1_024 {
                deliveries.removeFirst(nextDelivery)
                nextDelivery = 0
            }
        }
        deliveries.removeAll(keepingCapacity: true)
        nextDelivery = 0
    }
}
