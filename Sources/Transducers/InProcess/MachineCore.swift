/// Who holds a machine that is driven by calls. Weakly held by the machine: whoever drops the
/// host ends it.
protocol MachineHost<Event>: AnyObject, Sendable {
    associatedtype Event: Sendable

    /// The actor that isolated effects run on.
    var effectActor: any Actor { get }

    /// Effects have sent something. Called on any thread.
    func wake()

    /// An action has ended. Called on any thread.
    func acted(_ result: Result<[Event], any Error>)
}

/// A machine in memory that is driven by calls instead of a loop: what the hosts are made of.
/// Confined to its host, which sees to it that calls don't overlap.
@usableFromInline
final class MachineCore<Machine: RunnableTransducer>
where Machine.Event: Sendable, Machine.Output: Sendable {
    /// Told how the machine ended, once.
    @usableFromInline
    typealias Completion = @Sendable (Result<Machine.Output, any Error>) -> Void

    /// An event that waits for an action to end.
    struct Waiting {
        let event: Machine.Event
        let request: TrackedSend<Machine.Output>?
        let answer: EventAnswer?
    }

    @usableFromInline var state: Machine.State
    @usableFromInline var stepper: Stepper<Machine>
    /// Whether an event can be applied right away.
    @usableFromInline var isReady = true
    /// Whether somebody wants the outputs of every event.
    @usableFromInline let isListenedTo: Bool
    /// Outputs for the host to deliver, in order.
    @usableFromInline var outbox: [Machine.Output] = []

    /// The output of the last step, or why there is none; `nil` while the machine lives, or its
    /// last effects do.
    var outcome: Result<Machine.Output, any Error>?
    var report = RunReport()
    weak var host: (any MachineHost<Machine.Event>)?

    let env: Machine.Env
    /// Its trace goes to ``errands``.
    let options: RunOptions<Machine>
    /// What the host does when nobody is in the machine any more.
    let errands = HostErrands<Machine>()
    /// Whom the host tells of the records.
    let trace: ((TraceRecord<Machine>) -> Void)?
    let inboxSize: Int
    var hasEnded = false
    @usableFromInline var hasEffects = false
    var agenda: EffectAgenda<Machine.Event, Machine.Env>?
    var inbox: EventChannel<Machine.Event>?
    var batch: [Envelope<Machine.Event>] = []
    var backlog: [Waiting] = []
    var acting:
        (
            EffectAction<Machine.Event, Machine.Env>,
            PendingEffect<Machine.Event, Machine.Env>
        )?
    var actionTask: Task<Void, Never>?

    /// Whom to tell of the end, until that has happened.
    private var completion: Completion?

    /// - Parameters:
    ///   - inboxSize: How many events may wait for an action to end.
    ///   - completion: Told how the machine ended, by the host or when the host is dropped.
    init(
        state: Machine.State, env: Machine.Env, options: RunOptions<Machine>, inboxSize: Int,
        isListenedTo: Bool, completion: Completion?
    ) {
        self.state = state
        self.env = env
        self.trace = options.trace
        var options = options
        if options.trace != nil { options.trace = { [errands] in errands.tell($0) } }
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
        // Answers what stands in the inbox, and what was taken from it.
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

    /// How many events wait for an action to end.
    var waitingCount: Int { backlog.count }

    /// Whether there is something to tell: records, outputs, or the end.
    var hasNews: Bool {
        !errands.records.isEmpty || !outbox.isEmpty || (completion != nil && outcome != nil)
    }

    /// Whom to tell of the end, if it has come; once.
    func takeCompletion() -> (() -> Void)? {
        guard let outcome, let completion else { return nil }
        self.completion = nil
        return { completion(outcome) }
    }

    func takeOutbox() -> [Machine.Output] {
        defer { outbox.removeAll() }
        return outbox
    }

    // MARK: Sends

    /// Whether ``applyQuickly(_:)`` will do.
    @inlinable
    var isQuick: Bool { isReady && !hasEffects && !stepper.isTraced }

    /// The short way of an event, for machines without effects: compiled for the machine.
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

    /// Takes an event: applies it, or has it wait while an action goes on.
    ///
    /// - Parameter answer: Told what became of it.
    func send(
        _ event: Machine.Event, request: TrackedSend<Machine.Output>? = nil,
        answer: EventAnswer?
    ) {
        if isReady { drain() }
        if hasEnded {
            refuse(event, TransducerError.ended, request, answer)
        } else if isReady {
            apply(event, request, answer)
        } else if backlog.count < inboxSize {
            backlog.append(Waiting(event: event, request: request, answer: answer))
        } else {
            refuse(event, TransducerError.bufferFull(capacity: inboxSize), request, answer)
        }
    }

    /// Takes everything that effects have sent, and what has waited.
    func drain() {
        while isReady {
            if let envelope = batch.popLast() {
                open(envelope)
            } else if let inbox, takeBatch(from: inbox) {
                continue
            } else if !backlog.isEmpty {
                let next = backlog.removeFirst()
                apply(next.event, next.request, next.answer)
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
            let request = runtime.request(following: run) as? TrackedSend<Machine.Output>
            request?.began()
            apply(event, request, answer?.asAnswer)
        case .event(let event, nil, let answer):
            apply(event, nil, answer?.asAnswer)
        case .ended(let run, let failure):
            agenda?.ended(run, failure: failure)
            carryOut()
        }
    }

    private func apply(
        _ event: Machine.Event, _ request: TrackedSend<Machine.Output>?, _ answer: EventAnswer?
    ) {
        stepper.keepsOutputs = isListenedTo || request != nil
        stepper.begin(.event(event))
        if let error = settleStep(request) {
            refuse(event, error, request, answer)
            return
        }
        carryOut()
        answer?(.applied)
        request?.ended()
    }

    func refuse(
        _ event: Machine.Event, _ error: any Error, _ request: TrackedSend<Machine.Output>?,
        _ answer: EventAnswer?
    ) {
        options.trace?(.refused(event, state: state, error: error))
        answer?(SendVerdict(refusal: error))
        request?.failed(error)
        request?.ended()
        if answer == nil, request == nil { report.refusedCount += 1 }
    }
}
