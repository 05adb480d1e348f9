/// A machine in memory that is driven by calls instead of a loop: the core of ``ActorHost`` and
/// ``SynchronousDriver``. Confined to its owner, whose calls don't overlap.
@usableFromInline
final class InProcessMachine<Machine: RunnableTransducer>
where Machine.Event: Sendable, Machine.Output: Sendable {
    /// Receives the machine's end, once.
    @usableFromInline
    typealias Completion = @Sendable (Result<Machine.Output, any Error>) -> Void

    /// An event that waits for an action. A struct: tuples of generic types are looked up slowly.
    struct Waiting {
        let number: UInt64
        let event: Machine.Event
        let request: EffectRequest?
        let answer: EventAnswer?
    }

    @usableFromInline var state: Machine.State
    @usableFromInline var stepper: Stepper<Machine>
    /// Whether an event can be applied right away.
    @usableFromInline var isReady = true
    /// Whether the owner wants all outputs.
    @usableFromInline let isListenedTo: Bool
    /// Outputs for the owner to deliver, in order.
    @usableFromInline var outbox: [Machine.Output] = []

    /// The output of the last step, or the error; `nil` while the machine or its last effects run.
    var outcome: Result<Machine.Output, any Error>?
    var report = RunReport()
    weak var owner: (any MachineOwner<Machine.Event>)?

    let env: Machine.Env
    /// Its trace goes to ``deferred``.
    let options: RunOptions<Machine>
    /// The owner's work after a call of the machine.
    let deferred = DeferredWork<Machine>()
    /// The trace that the owner calls with the records.
    private let trace: ((TraceRecord<Machine>) -> Void)?
    /// Whether the owner delivers: the same call then delivers the results of callbacks.
    private(set) var isDelivering = false
    /// The starts that follow the present delivery.
    private var nextStarts: [() -> Void] = []
    let inboxSize: Int
    var hasEnded = false
    @usableFromInline var hasEffects = false
    var agenda: EffectAgenda<Machine.Event, Machine.Env>?
    var inbox: EventChannel<Machine.Event>?
    var batch: [Envelope<Machine.Event>] = []
    /// The events that wait for an action, in order. Each has its place among the events of
    /// effects, in `inbox` or `batch`.
    var backlog: [Waiting] = []
    private var lastWaiting: UInt64 = 0
    var acting:
        (
            EffectAction<Machine.Event, Machine.Env>,
            PendingEffect<Machine.Event, Machine.Env>
        )?
    var actionTask: Task<Void, Never>?
    /// Whether the action has been cancelled, perhaps before its start.
    var isActionStopped = false

    private var completion: Completion?

    /// - Parameters:
    ///   - inboxSize: The number of events that may wait for an action.
    ///   - completion: Receives the machine's end, also when the owner is dropped.
    init(
        state: Machine.State, env: Machine.Env, options: RunOptions<Machine>, inboxSize: Int,
        isListenedTo: Bool, completion: Completion?
    ) {
        self.state = state
        self.env = env
        self.trace = options.trace
        var options = options
        if options.trace != nil { options.trace = { [deferred] in deferred.add($0) } }
        self.options = options
        self.inboxSize = inboxSize
        self.isListenedTo = isListenedTo
        self.completion = completion
        self.stepper = Stepper(
            immediateEventsMax: options.immediateEventsMax, keepsOutputs: isListenedTo,
            isTraced: options.trace != nil)
    }

    deinit {
        actionTask?.cancel()
        // Answers the events in the inbox and in the batch.
        inbox?.stop(TransducerError.cancelled)
        for waiting in backlog { waiting.answer?(.notApplied(.ended)) }
        completion?(outcome ?? .failure(TransducerError.cancelled))
    }

    /// Begins the machine's life: its initial output, and its end if it begins in it.
    func begin() {
        let first = Machine.initialOutput(initialState: state)
        if let first, isListenedTo { outbox.append(first) }
        guard state.isTerminal else { return }
        let result = first ?? (() as? Machine.Output)
        hasEnded = true
        isReady = false
        outcome = result.map(Result.success) ?? .failure(TransducerError.noOutputProduced)
    }

    var waitingCount: Int { backlog.count }

    /// The owner's next work after a call: first cancellations and releases, because the next call
    /// must not see them; then deliveries, unless one runs. The tasks that a step has asked for
    /// start when its outputs have been delivered.
    @usableFromInline
    func nextWork() -> DeferredWork<Machine>.Part? {
        if let clearing = deferred.takeClearing() { return clearing }
        let hasNews =
            !deferred.records.isEmpty || !outbox.isEmpty || (completion != nil && outcome != nil)
        guard !isDelivering else { return nil }
        guard hasNews else {
            for start in deferred.takeStarts() { start() }
            return deferred.takeClearing()
        }
        isDelivering = true
        nextStarts = deferred.takeStarts()
        defer { outbox.removeAll() }
        var ending: (() -> Void)?
        if let outcome, let completion = completion.take() { ending = { completion(outcome) } }
        return .deliver(
            deferred.takeRecords(), to: trace, outputs: outbox, completion: ending)
    }

    func delivered() {
        isDelivering = false
        for start in nextStarts { start() }
        nextStarts.removeAll()
    }

    /// Performs all deferred work, for an owner that needs no lock.
    func performWork(_ output: ((Machine.Output) -> Void)?) {
        while let part = nextWork() {
            let isDelivery = part.isDelivery
            part.perform(output)
            if isDelivery { delivered() }
        }
    }

    // MARK: Sends

    /// Whether ``applyQuickly(_:)`` will do.
    @inlinable
    var isQuick: Bool { isReady && !hasEffects && !stepper.isTraced }

    /// Applies an event to a machine without effects; specialized for the machine.
    ///
    /// - Returns: Whether there is nothing to deliver.
    @inlinable
    func applyQuickly(_ event: Machine.Event) throws -> Bool {
        stepper.keepsOutputs = isListenedTo
        stepper.begin(.event(event))
        let ending = try stepper.advance(&state)
        if ending == .done, stepper.effects.isEmpty, stepper.outputs.isEmpty { return true }
        finishStep(ending, nil)
        resumeStep(after: ending)
        return false
    }

    /// Applies an event, or makes it wait while an action runs.
    ///
    /// - Parameter answer: Receives the verdict.
    func send(
        _ event: Machine.Event, request: EffectRequest? = nil,
        answer: EventAnswer?
    ) {
        if isReady { drain() }
        if hasEnded {
            refuse(event, TransducerError.ended, request, answer)
        } else if isReady {
            apply(event, request, answer)
        } else if backlog.count < inboxSize {
            lastWaiting += 1
            backlog.append(
                Waiting(number: lastWaiting, event: event, request: request, answer: answer))
            inbox?.keepPlace(lastWaiting)
        } else {
            refuse(event, TransducerError.bufferFull(capacity: inboxSize), request, answer)
        }
    }

    /// Applies everything that effects have sent, and the waiting events, in the order of sending.
    func drain() {
        while isReady {
            if let envelope = batch.popLast() {
                open(envelope)
            } else if let inbox, takeBatch(from: inbox) {
                continue
            } else {
                return
            }
        }
        if hasEnded { drainLastStep() }
    }

    private func takeBatch(from inbox: EventChannel<Machine.Event>) -> Bool {
        inbox.takeAll(into: &batch)
        batch.reverse()
        return !batch.isEmpty
    }

    private func open(_ envelope: Envelope<Machine.Event>) {
        switch envelope {
        case .event(let event, let run?, let answer):
            guard let runtime = agenda?.runtime, runtime.isCurrent(run) else {
                options.trace?(.staleEvent(event, run))
                report.staleCount += 1
                answer?.give(.notApplied(.effectNotCurrent))
                return
            }
            if let answer, !answer.begin() { return }
            let request = runtime.request(following: run)
            request?.began()
            if !apply(event, request, answer?.asAnswer) { agenda?.refused(run) }
        case .event(let event, nil, let answer):
            apply(event, nil, answer?.asAnswer)
        case .kept(let number):
            // Missing if it was cancelled.
            guard backlog.first?.number == number else { return }
            let next = backlog.removeFirst()
            apply(next.event, next.request, next.answer)
        case .ended(let run, let failure):
            agenda?.ended(run, failure: failure)
            carryOut()
        }
    }

    /// - Returns: Whether it was accepted.
    @discardableResult
    private func apply(
        _ event: Machine.Event, _ request: EffectRequest?, _ answer: EventAnswer?
    ) -> Bool {
        stepper.keepsOutputs = isListenedTo || request != nil
        stepper.begin(.event(event))
        if let error = applyStep(request) {
            refuse(event, error, request, answer)
            return false
        }
        carryOut()
        answer?(.applied)
        request?.ended()
        return true
    }

    func refuse(
        _ event: Machine.Event, _ error: any Error, _ request: EffectRequest?,
        _ answer: EventAnswer?
    ) {
        options.trace?(.refused(event, state: state, error: error))
        answer?(SendVerdict(refusal: error))
        request?.observer.failed(error)
        request?.ended()
        if answer == nil, request == nil { report.refusedCount += 1 }
    }
}
