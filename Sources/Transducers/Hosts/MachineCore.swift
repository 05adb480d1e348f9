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
    private struct Waiting {
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
    private(set) var outcome: Result<Machine.Output, any Error>?
    private(set) var report = RunReport()
    weak var host: (any MachineHost<Machine.Event>)?

    private let env: Machine.Env
    private let options: RunOptions<Machine>
    private let inboxSize: Int
    private var hasEnded = false
    @usableFromInline private(set) var hasEffects = false
    private var agenda: EffectAgenda<Machine.Event, Machine.Env>?
    private var inbox: EventChannel<Machine.Event>?
    private var batch: [Envelope<Machine.Event>] = []
    private var backlog: [Waiting] = []
    private var acting:
        (
            EffectAction<Machine.Event, Machine.Env>,
            PendingEffect<Machine.Event, Machine.Env>
        )?
    private var actionTask: Task<Void, Never>?

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

    /// Whether the end is still to be told of.
    var isCompletionDue: Bool { completion != nil && outcome != nil }

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
                answer?(.notApplied(.effectNotCurrent))
                return
            }
            let request = runtime.request(following: run) as? TrackedSend<Machine.Output>
            request?.began()
            apply(event, request, answer)
        case .event(let event, nil, let answer):
            apply(event, nil, answer)
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

    private func refuse(
        _ event: Machine.Event, _ error: any Error, _ request: TrackedSend<Machine.Output>?,
        _ answer: EventAnswer?
    ) {
        options.trace?(.refused(event, state: state, error: error))
        answer?(SendVerdict(refusal: error))
        request?.failed(error)
        request?.ended()
        if answer == nil, request == nil { report.refusedCount += 1 }
    }

    // MARK: Steps

    /// Applies what the stepper has.
    ///
    /// - Returns: Why it was refused, if it was.
    private func settleStep(_ request: EffectRequest?) -> (any Error)? {
        do {
            while true {
                let ending = try stepper.advance(&state)
                finishStep(ending, request)
                if ending != .paused { return nil }
            }
        } catch {
            return error
        }
    }

    /// Hands on what a step has given.
    @usableFromInline
    func finishStep(_ ending: Stepper<Machine>.Ending, _ request: EffectRequest?) {
        if stepper.isTraced {
            for record in stepper.records { options.trace?(record) }
            stepper.records.removeAll(keepingCapacity: true)
        }
        if !stepper.outputs.isEmpty {
            if let request = request as? TrackedSend<Machine.Output> {
                for output in stepper.outputs { request.results.yield(.success(output)) }
            }
            if isListenedTo { outbox.append(contentsOf: stepper.outputs) }
            stepper.outputs.removeAll(keepingCapacity: true)
        }
        if ending == .terminal {
            end()
        } else if ending == .done, !stepper.effects.isEmpty {
            effects().add(stepper.effects, request: request)
            stepper.effects.removeAll(keepingCapacity: true)
        }
    }

    /// Goes on with a step that has been begun.
    @usableFromInline
    func resumeStep(after ending: Stepper<Machine>.Ending) {
        if ending == .paused, settleStep(nil) != nil { report.refusedCount += 1 }
        carryOut()
    }

    /// Carries out what is on the agenda, until an action has to be waited for.
    @usableFromInline
    func carryOut() {
        guard let agenda else { return }
        while isReady, let call = agenda.next() {
            switch call {
            case .apply(let item):
                stepper.keepsOutputs = isListenedTo || item.request != nil
                stepper.begin(item.node)
                let error = settleStep(item.request)
                if error != nil { report.refusedCount += 1 }
                agenda.applied(item, well: error == nil)
            case .act(let action, let item):
                isReady = false
                acting = (action, item)
                actionTask = perform(action)
            }
        }
    }

    private func perform(
        _ action: EffectAction<Machine.Event, Machine.Env>
    ) -> Task<Void, Never>? {
        guard let host else { return nil }
        let job = ActionJob(action: action, env: env, actor: MachineActor(host.effectActor))
        return Task { [weak host] in
            let result = await job.perform()
            host?.acted(result)
        }
    }

    /// An action has ended.
    func acted(_ result: Result<[Machine.Event], any Error>) {
        guard let (action, item) = acting else { return }
        acting = nil
        actionTask = nil
        agenda?.acted(action, item, result)
        isReady = !hasEnded
        carryOut()
        drain()
    }

    private func effects() -> EffectAgenda<Machine.Event, Machine.Env> {
        if let agenda { return agenda }
        guard let host else { preconditionFailure("a machine has a host while it is driven") }
        let inbox = EventChannel<Machine.Event>(capacity: inboxSize)
        do {
            try inbox.begin(effectCapacity: options.effectBufferSize, onStop: { _ in })
        } catch {
            preconditionFailure("a new inbox is free: \(error)")
        }
        inbox.callWhenFilled { [weak host] in host?.wake() }
        let made = EffectAgenda(
            runtime: EffectRuntime<Machine.Event, Machine.Env>(
                machine: Machine.self, env: env, home: inbox, actor: host.effectActor,
                options: options, unheard: { [unowned self] in report.add($0) }))
        self.inbox = inbox
        agenda = made
        hasEffects = true
        return made
    }

    // MARK: The end

    private func end() {
        hasEnded = true
        isReady = false
        refuseWaiting()
        guard let result = stepper.result else {
            preconditionFailure("a terminal step has an output")
        }
        guard agenda != nil || !stepper.effects.isEmpty else {
            outcome = .success(result)
            return
        }
        let agenda = effects()
        agenda.beginLastStep()
        agenda.add(stepper.effects, request: nil)
        stepper.effects.removeAll()
        inbox?.close()
        drainLastStep()
    }

    /// Runs the last step's effects; nothing is heard of them but their end.
    private func drainLastStep() {
        guard hasEnded, outcome == nil, let agenda, let inbox else { return }
        batch.removeAll()
        inbox.takeAll(into: &batch)
        for case .ended(let run, let failure) in batch {
            agenda.ended(run, failure: failure)
        }
        batch.removeAll()
        while acting == nil, case .act(let action, let item)? = agenda.next() {
            acting = (action, item)
            actionTask = perform(action)
        }
        if acting == nil, !agenda.runtime.hasWork, let result = stepper.result {
            outcome = .success(result)
        }
    }

    private func refuseWaiting() {
        for envelope in batch {
            if case .event(_, _, let answer) = envelope { answer?(.notApplied(.ended)) }
        }
        for waiting in backlog {
            refuse(waiting.event, TransducerError.ended, waiting.request, waiting.answer)
        }
        batch.removeAll()
        backlog.removeAll()
    }

    /// Ends the machine from outside: effects are cancelled, what waits is answered.
    func cancel(_ error: any Error) {
        guard outcome == nil else { return }
        hasEnded = true
        isReady = false
        outcome = .failure(error)
        actionTask?.cancel()
        acting = nil
        refuseWaiting()
        agenda?.beginLastStep()
        inbox?.stop(error)
    }

    /// Cancels what belongs to a send.
    func cancel(_ request: TrackedSend<Machine.Output>) {
        if let acting, acting.1.request === request { actionTask?.cancel() }
        let dropped = backlog.filter { $0.request === request }
        backlog.removeAll { $0.request === request }
        for waiting in dropped { waiting.request?.ended() }
        agenda?.cancel(request)
        carryOut()
    }
}

/// A send whose results go to its sender.
final class TrackedSend<Output: Sendable>: EffectRequest, @unchecked Sendable {
    // As its superclass.
    let results: SendResults<Output>

    init(
        tracking: EffectTracking, id: (any Hashable & Sendable)?, priority: TaskPriority?,
        results: SendResults<Output>
    ) {
        self.results = results
        super.init(
            tracking: tracking, key: id.map { EffectKey(base: AnyKey($0)) },
            priority: priority, observer: results)
    }
}

/// An action, ready to go to a task.
private struct ActionJob<Event: Sendable, Env>: @unchecked Sendable {
    // The environment need not be sendable: a closure that uses it either demanded that it is,
    // or runs on `actor`, as everything else does that uses it.
    let action: EffectAction<Event, Env>
    let env: Env
    let actor: MachineActor

    func perform() async -> Result<[Event], any Error> {
        do {
            return .success(try await action.body(env, actor))
        } catch {
            return .failure(error)
        }
    }
}
