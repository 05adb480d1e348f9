import Dispatch
public import GroveEngine
import GroveNetwork
import OrderedJSON
public import Transducers

/// Runs what the engine hands out: each try is a task of its own, under a time limit, and ends
/// with exactly one report.
///
/// It decides nothing: how many tries may be under way, whether a failed one is made again and
/// when, is the engine's business. Whatever is handed to it begins at once.
///
/// The calls from the engine return at once and keep their order. Reports are made on a queue of
/// the runner's own, one after the other, each try's in the order in which they came about.
///
/// A try is over when its handler ends or its time is up, whichever is first. A handler that
/// ignores cancellation goes on, but nobody listens any more: what it returns or throws later is
/// dropped, and what it emits is answered with `CancellationError`. When four times as many such
/// runs go on as the handler may have under way, further tries of it fail at once, until some end.
public actor EffectRunner: QueueActor {
    /// The runner's queue, which keeps the order of starts and cancellations.
    package nonisolated let executor = QueueExecutor(label: "grove.effects")
    /// Runs the actor on its queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private var handlers: EffectHandlers
    private let report: @Sendable ([EffectReport]) -> Void
    /// Tries that have not been reported as over; at most one of each effect.
    private var tries: [EffectRef: EffectAttempt] = [:]
    /// Tries that were begun, ever.
    private var begun: UInt64 = 0
    /// Tasks of handlers that have not ended, those that were given up included.
    private var tasks = 0
    /// Those of them that were given up, by their handlers.
    private var givenUp: [String: Int] = [:]
    /// How many times as many runs as may be under way can have been given up and still go on.
    static let givenUpFactor = 4
    private var isShutDown = false
    private var shutdowns: [CheckedContinuation<Void, Never>] = []
    private var timer: (any DispatchSourceTimer)?
    /// When the timer fires.
    private var alarm: ContinuousClock.Instant?

    /// A runner with these handlers.
    ///
    /// - Parameters:
    ///   - handlers: What can be run, by name. An effect for another handler is reported as a
    ///     failed try, because the next version of the program may have it.
    ///   - report: Gets what tries come to and give, in order, on the runner's queue. It is to
    ///     hand them on and return.
    public init(
        handlers: EffectHandlers, report: @escaping @Sendable ([EffectReport]) -> Void
    ) {
        self.handlers = handlers
        self.report = report
    }

    // MARK: From the engine

    /// Begins these tries. Returns at once.
    ///
    /// An effect has one try at a time. Should it be handed out again before the first one has
    /// ended, the first is cancelled and reported so.
    public nonisolated func run(_ dispatches: [EffectDispatch]) {
        guard !dispatches.isEmpty else { return }
        post { runner in
            for dispatch in dispatches { runner.begin(dispatch) }
        }
    }

    /// Has tries to come run by this handler instead of the one of its name. Returns at once.
    public nonisolated func replace(_ handler: EffectHandler) {
        post { $0.handlers.register(handler) }
    }

    /// Cancels the tries of these effects. Returns at once; their last reports come when the
    /// handlers have ended, or at their time limit. One that isn't under way is passed over.
    public nonisolated func cancel(_ refs: [EffectRef]) {
        guard !refs.isEmpty else { return }
        post { runner in
            for ref in refs { runner.cancel(ref) }
        }
    }

    /// Cancels all that is under way and returns when every handler has ended, or when `grace`
    /// has passed. Nothing begins from now on.
    ///
    /// Handlers that end properly in that time are reported. Those that are cut off by it are
    /// not: nobody asked for it, their effects are still under way as far as the data file goes,
    /// and the next start hands them out again.
    public func shutdown(grace: Duration = .seconds(5)) async {
        isShutDown = true
        for ref in tries.keys { cancel(ref) }
        guard tasks > 0 else { return endShutdown() }
        executor.queue.asyncAfter(deadline: .now() + grace.dispatchInterval) { [weak self] in
            self?.assumeIsolated { $0.endShutdown() }
        }
        await withCheckedContinuation { shutdowns.append($0) }
    }

    // MARK: A try

    private func begin(_ dispatch: EffectDispatch) {
        guard !isShutDown else { return }
        guard let handler = dispatch.closure ?? handlers[dispatch.handler] else {
            let reason = "no handler \(dispatch.handler) is registered"
            report([EffectReport(dispatch, .failure(reason))])
            return
        }
        if let earlier = tries[dispatch.ref] {
            giveUp(earlier)
            finish(earlier, .cancelled)
        }
        let runs = givenUp[dispatch.handler] ?? 0
        guard runs < handler.concurrencyMax * Self.givenUpFactor else {
            let reason =
                "\(runs) runs of the handler \(dispatch.handler) go on though their time is up: "
                + "it ignores cancellation"
            report([EffectReport(dispatch, .failure(reason))])
            return
        }
        begun += 1
        let timeout = dispatch.timeout.map { Duration.milliseconds($0) } ?? handler.timeout
        let deadline = ContinuousClock.now + timeout
        tries[dispatch.ref] = EffectAttempt(
            number: begun, dispatch: dispatch, timeout: timeout, deadline: deadline)
        tasks += 1
        tries[dispatch.ref]?.task = task(handler, dispatch, number: begun)
        setAlarm(for: deadline)
    }

    private func task(
        _ handler: EffectHandler, _ dispatch: EffectDispatch, number: UInt64
    ) -> Task<Void, Never> {
        let context = EffectHandlerContext(
            key: dispatch.key, attempt: dispatch.attempt, instance: dispatch.owner.text,
            delivered: dispatch.delivered, run: UInt64(dispatch.ref.number)
        ) { [weak self] value in
            try EffectReport.Outcome.check(value, as: "event")
            guard let self, await self.emit(value, dispatch.ref, number: number) else {
                throw CancellationError()
            }
        }
        // Detached: the handler is to run beside the queue and not on it.
        return Task.detached {
            let outcome: EffectReport.Outcome
            var pause: Int64 = 0
            do {
                outcome = .success(try await handler.body(dispatch.argument, context))
            } catch let error as PermanentFailure {
                outcome = .failure(error.reason, isPermanent: true)
            } catch {
                pause = (error as? RetryLater)?.pause.milliseconds ?? 0
                outcome = .failure(String(describing: error))
            }
            await self.ended(dispatch, number: number, outcome, pause: pause)
        }
    }

    /// A handler's task has ended.
    private func ended(
        _ dispatch: EffectDispatch, number: UInt64, _ outcome: EffectReport.Outcome, pause: Int64
    ) {
        tasks -= 1
        if let current = tries[dispatch.ref], current.number == number {
            if case .failed = outcome, current.isCancelled {
                finish(current, .cancelled)
            } else {
                finish(current, outcome, pause: pause)
            }
        } else if let runs = givenUp[dispatch.handler] {
            givenUp[dispatch.handler] = runs > 1 ? runs - 1 : nil
        }
        if tasks == 0 { endShutdown() }
    }

    private func cancel(_ ref: EffectRef) {
        guard let current = tries[ref] else { return }
        tries[ref]?.isCancelled = true
        tries[ref]?.emitters = [:]
        current.task?.cancel()
        for emitter in current.emitters.values { emitter.resume(returning: false) }
    }

    /// A try's handler is to end. It may take its time, or not hear it.
    private func giveUp(_ current: EffectAttempt) {
        givenUp[current.dispatch.handler, default: 0] += 1
        current.task?.cancel()
    }

    /// The one place where a try ends: its row goes, so that no second report can follow.
    private func finish(
        _ ended: EffectAttempt, _ outcome: EffectReport.Outcome, pause: Int64 = 0
    ) {
        tries[ended.dispatch.ref] = nil
        for emitter in ended.emitters.values { emitter.resume(returning: false) }
        if isShutDown, case .cancelled = outcome { return }
        var last = EffectReport(ended.dispatch, outcome)
        last.pause = pause
        report([last])
    }

    /// What is still under way is forgotten, so that it can't report to a closed engine.
    private func endShutdown() {
        guard isShutDown else { return }
        tries = [:]
        let waiting = shutdowns
        shutdowns = []
        for shutdown in waiting { shutdown.resume() }
    }

    // MARK: Results before the end

    /// Reports a result and waits until the engine has committed it.
    ///
    /// - Returns: Whether it was applied; `false` for a try that is over or isn't wanted.
    private func emit(_ value: JSONValue, _ ref: EffectRef, number: UInt64) async -> Bool {
        guard var current = tries[ref], current.number == number, !current.isCancelled else {
            return false
        }
        current.emitted += 1
        let result = current.dispatch.delivered + current.emitted
        return await withCheckedContinuation { emitter in
            current.emitters[result] = emitter
            tries[ref] = current
            let outcome = EffectReport.Outcome.emitted(value, number: result)
            let report = EffectReport(current.dispatch, outcome) { [weak self] isApplied in
                self?.post { $0.answer(isApplied, to: result, ref, number: number) }
            }
            self.report([report])
        }
    }

    private func answer(
        _ isApplied: Bool, to result: Int, _ ref: EffectRef, number: UInt64
    ) {
        guard tries[ref]?.number == number,
            let emitter = tries[ref]?.emitters.removeValue(forKey: result)
        else { return }
        // The effect isn't current: a cancellation that has only not been said yet.
        if !isApplied { tries[ref]?.isCancelled = true }
        emitter.resume(returning: isApplied)
    }

    // MARK: Time

    /// One timer for all tries, set to the next deadline: a try that ends before its time, as
    /// nearly all do, costs none.
    private func setAlarm(for deadline: ContinuousClock.Instant) {
        if let alarm, alarm <= deadline { return }
        alarm = deadline
        let wait = max(.zero, deadline - .now).dispatchInterval
        if let timer { return timer.schedule(deadline: .now() + wait, leeway: .milliseconds(1)) }
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.ring() } }
        timer.schedule(deadline: .now() + wait, leeway: .milliseconds(1))
        timer.resume()
        self.timer = timer
    }

    private func ring() {
        alarm = nil
        let now = ContinuousClock.now
        let over = tries.values.filter { $0.deadline <= now }
        for current in over.sorted(by: { $0.deadline < $1.deadline }) { expire(current) }
        if let next = tries.values.map(\.deadline).min() { setAlarm(for: next) }
    }

    private func expire(_ current: EffectAttempt) {
        giveUp(current)
        let outcome: EffectReport.Outcome =
            current.isCancelled ? .cancelled : .failure("took longer than \(current.timeout)")
        finish(current, outcome)
    }
}

extension Duration {
    /// As Dispatch counts, at most a day: whoever waits longer looks again.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let bounded = min(self, .seconds(86_400))
        let (seconds, attoseconds) = bounded.components
        // Rounded up, so that what waits for an instant doesn't wake just before it.
        return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + 1))
    }
}
