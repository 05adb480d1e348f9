/// The effects of one machine that run in process: the ledger's decisions carried out with tasks.
/// Confined to the actor of the machine; tasks speak to it through the inbox alone.
@usableFromInline
final class EffectRuntime<Event, Env> {
    struct Work {
        let operation: EffectOperation<Event, Env>
        let group: EffectGroup<Event, Env>?
        let request: EffectRequest?
        let isFinal: Bool
    }

    enum Outcome {
        case started
        case ended
        case cancelled
        case failed(any Error)
    }

    private let env: EffectEnv<Env>
    private let inbox: EventChannel<Event>
    private let actor: MachineActor
    private let clock: any Clock<Duration>
    private let executor: (any TaskExecutor)?
    private let handlers: EffectHandlers
    /// The time since this was made.
    private let elapsed: () -> Duration
    /// Draws the random delays of queues, and the seeds of those between attempts.
    private var random: any RandomNumberGenerator
    private var ledger = EffectLedger()
    /// The work of the live runs.
    private var works: [EffectRunID: Work] = [:]
    private var tasks: [EffectRunID: Task<Void, Never>] = [:]
    /// Called with the result of each run, in order.
    private let observe: (EffectRunID, EffectKey, Outcome) -> Void
    /// The machine's event for a failure, if it has one.
    private let failureEvent: (EffectFailure) -> Event?
    /// Calls a closure that starts a task, now or when the present outputs have been delivered.
    private let launch: (@escaping () -> Void) -> Void
    /// Cancels a task, now or after the present call of the machine.
    private let cancelTask: (Task<Void, Never>) -> Void
    /// Releases the operation of a run, now or after the present call: its closures may be
    /// observed.
    private let release: (AnyObject) -> Void
    /// Called with failures that are reported nowhere else.
    private let unreported: (EffectFailure) -> Void

    /// The runtime of a machine's effects.
    ///
    /// - Parameter unreported: Called with failures that are reported nowhere else.
    init<Machine: RunnableTransducer>(
        machine: Machine.Type, env: Env, inbox: EventChannel<Event>, actor: any Actor,
        options: RunOptions<Machine>,
        launch: @escaping (@escaping () -> Void) -> Void = { $0() },
        cancel: @escaping (Task<Void, Never>) -> Void = { $0.cancel() },
        release: @escaping (AnyObject) -> Void = { _ in },
        unreported: @escaping (EffectFailure) -> Void
    ) where Machine.Event == Event, Machine.Env == Env {
        self.env = EffectEnv(env)
        self.inbox = inbox
        self.actor = MachineActor(actor)
        self.clock = options.clock
        self.executor = options.executor
        self.handlers = options.handlers
        self.elapsed = options.clock.reading
        self.random =
            options.seed.map { SeededGenerator(seed: $0) } ?? SystemRandomNumberGenerator()
        self.observe = { [trace = options.trace] run, key, outcome in
            trace?(TraceRecord(run, key, outcome))
        }
        self.failureEvent = { Machine.effectFailed($0) }
        self.launch = launch
        self.cancelTask = cancel
        self.release = release
        self.unreported = unreported
    }

    deinit {
        for task in tasks.values { task.cancel() }
    }

    /// Whether any effect runs or waits whose end matters.
    var hasWork: Bool { ledger.count > 0 }

    /// Whether events of this run count.
    func isCurrent(_ run: EffectRunID) -> Bool { ledger.isCurrent(run) }

    /// The send that a run belongs to, as far as what follows from the run belongs to it too.
    func request(following run: EffectRunID) -> EffectRequest? {
        let request = works[run]?.request
        return request?.tracking == .tree ? request : nil
    }

    /// The part of a sequence that a run belongs to, if any.
    func group(of run: EffectRunID) -> EffectGroup<Event, Env>? { works[run]?.group }

    // MARK: Carrying out

    /// Starts an operation, or makes it wait.
    ///
    /// - Parameter isFinal: Whether the machine has ended: the operation runs, and its events are
    ///   dropped.
    /// - Returns: The effects to carry out next.
    func start(
        _ operation: EffectOperation<Event, Env>, group: EffectGroup<Event, Env>?,
        request: EffectRequest?, isFinal: Bool = false
    ) -> [PendingEffect<Event, Env>] {
        request?.began()
        works[ledger.next] = Work(
            operation: operation, group: group, request: request, isFinal: isFinal)
        return perform {
            $0.start(
                key: operation.key, policy: operation.policy, queue: operation.queue,
                rank: Int((operation.priority ?? request?.priority)?.rawValue ?? 0), now: $1,
                drawing: $2)
        }
    }

    /// Cancels the selected effects and tracked sends.
    func cancel(_ selector: EffectSelector) -> [PendingEffect<Event, Env>] {
        cancel { run, work in
            selector.includes(run.key) || work?.request?.key.map(selector.includes) == true
        }
    }

    func cancel(_ request: EffectRequest) -> [PendingEffect<Event, Env>] {
        cancel { $1?.request === request }
    }

    func cancelAll() {
        _ = cancel { _, _ in true }
    }

    private func cancel(
        where predicate: (EffectLedger.Run, Work?) -> Bool
    ) -> [PendingEffect<Event, Env>] {
        perform {
            $0.cancel(now: $1, drawing: $2) { predicate($0, works[$0.id]) }
        }
    }

    /// Applies a queue's new policy.
    func update(_ queue: QueueKey) -> [PendingEffect<Event, Env>] {
        perform { $0.update(queue, now: $1, drawing: $2) }
    }

    /// Removes a task that has ended.
    ///
    /// - Returns: The effects to carry out next.
    func ended(
        _ id: EffectRunID, failure: (any Error)?
    ) -> [PendingEffect<Event, Env>] {
        tasks[id] = nil
        // A run that isn't current ended when it was canceled.
        guard let run = ledger.run(id) else { return [] }
        let outcome: Outcome =
            switch failure {
            case nil: .ended
            case is CancellationError: .cancelled
            case let error?: .failed(error)
            }
        return finish(run, outcome)
            + perform { $0.ended(id, now: $1, drawing: $2) }
    }

    private func perform(
        _ change: (
            inout EffectLedger, Duration, (EffectQueueDelay) -> Duration
        ) -> [EffectLedger.Command]
    ) -> [PendingEffect<Event, Env>] {
        var next: [PendingEffect<Event, Env>] = []
        for command in change(&ledger, elapsed(), { random.draw($0) }) {
            switch command {
            case .start(let run, let delay):
                spawn(run, after: delay)
            case .stop(let run):
                if let task = tasks[run.id] { cancelTask(task) }
                next += finish(run, .cancelled)
            case .drop(let run, .overloaded(let capacity)):
                let error = TransducerError.effectQueueFull(capacity: capacity)
                next += finish(run, .failed(error))
            case .drop(let run, _):
                next += finish(run, .cancelled)
            }
        }
        return next
    }

    /// Reports the result of a run to all that wait for it.
    private func finish(
        _ run: EffectLedger.Run, _ outcome: Outcome
    ) -> [PendingEffect<Event, Env>] {
        guard let work = works.removeValue(forKey: run.id) else {
            preconditionFailure("a run has work until it ends")
        }
        let request = work.request
        observe(run.id, run.key, outcome)
        release(work.operation)
        if case .cancelled = outcome { request?.observer.cancelled() }
        var next: [PendingEffect<Event, Env>] = []
        if case .failed(let error) = outcome {
            next += failed(error, key: run.key, request: request)
        }
        let well = if case .ended = outcome { true } else { false }
        if let (node, group) = work.group?.ended(well: well) {
            // The next part of the sequence belongs to the same send.
            request?.began()
            next.append(PendingEffect(node: node, group: group, request: request))
        }
        request?.ended()
        return next
    }

    /// Reports a failure to the sender and the machine, or else to the run's report.
    ///
    /// - Returns: The event for the machine.
    func failed(
        _ error: any Error, key: EffectKey, request: EffectRequest?
    ) -> [PendingEffect<Event, Env>] {
        let failure = EffectFailure(id: key.isNamed ? key : nil, error: error)
        request?.observer.failed(error)
        if let event = failureEvent(failure) {
            let request = request?.tracking == .tree ? request : nil
            request?.began()
            return [PendingEffect(node: .event(event), group: nil, request: request)]
        }
        if request == nil { unreported(failure) }
        return []
    }

    // MARK: Tasks

    /// Waits until all tasks have ended.
    func awaitTasks(isolation: isolated any Actor) async {
        for task in tasks.values { await task.value }
    }

    private func spawn(_ run: EffectLedger.Run, after delay: Duration) {
        observe(run.id, run.key, .started)
        launch { [weak self] in
            // Missing if it was cancelled before.
            if let self, let work = works[run.id] { startTask(of: run, work, after: delay) }
        }
    }

    private func startTask(of run: EffectLedger.Run, _ work: Work, after delay: Duration) {
        let body = work.operation.body
        let sink: any EventSink<Event> =
            work.isFinal ? MutedSink<Event>() : RunSink(inbox: inbox, run: run.id)
        let context = EffectContext(
            clock: clock, run: run.id, handlers: handlers,
            seed: work.operation.durable == nil ? 0 : random.next(), executor: executor)
        let priority = work.operation.priority ?? work.request?.priority
        tasks[run.id] = Task(executorPreference: executor, priority: priority) {
            [inbox, env, actor] in
            var failure: (any Error)?
            do {
                if delay > .zero { try await context.sleep(for: delay) }
                try Task.checkCancellation()
                try await body(env, sink, context, actor)
            } catch {
                // Sending to a machine that has canceled the effect isn't a separate failure.
                failure = Task.isCancelled ? CancellationError() : error
            }
            inbox.effectEnded(context.run, failure: failure)
        }
    }
}

extension RandomNumberGenerator {
    /// The delay before the next start in a queue.
    fileprivate mutating func draw(_ delay: EffectQueueDelay) -> Duration {
        switch delay {
        case .constant(let duration): duration
        case .random(let range):
            range.lowerBound
                + (range.upperBound - range.lowerBound) * Double.random(in: 0...1, using: &self)
        }
    }
}
