import Dispatch
public import GroveEngine
import GroveNetwork
import OrderedJSON
public import Transducers

/// Runs the attempts that the engine dispatches. Each one is a task under a time limit, and ends
/// with exactly one report.
///
/// The engine decides how many attempts run, and when a failed one is repeated. The runner starts
/// each dispatch at once.
///
/// The calls from the engine return at once and keep their order. Reports are made on the runner's
/// own queue; those of one attempt keep their order.
///
/// An attempt ends with its handler or at its time limit, whichever is first. A handler that
/// ignores cancellation continues without an effect: its result is dropped, and `emit` throws
/// `CancellationError`. Beyond ``overdueFactorMax`` times the handler's maximum of such runs,
/// further attempts of it fail at once, until some end.
public actor EffectRunner: QueueActor {
    /// Keeps the order of starts and cancellations.
    package nonisolated let executor = QueueExecutor(label: "grove.effects")
    /// Runs the actor on its queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private var handlers: EffectHandlers
    private let report: @Sendable ([EffectReport]) -> Void
    /// Attempts without a last report; at most one per effect.
    private var attempts: [EffectRef: EffectAttempt] = [:]
    /// The number of attempts that began, ever.
    private var begun: UInt64 = 0
    /// Tasks of handlers that have not ended, including overdue ones.
    private var tasks = 0
    /// The number of overdue tasks, by handler.
    private var overdue: [String: Int] = [:]
    private var isShutDown = false
    private var shutdowns: [CheckedContinuation<Void, Never>] = []
    private var timer: (any DispatchSourceTimer)?
    /// The time at which the timer fires.
    private var alarm: ContinuousClock.Instant?

    /// A runner with these handlers.
    ///
    /// - Parameters:
    ///   - handlers: The handlers by name. An effect for another one is reported as a failed
    ///     attempt, because the next version of the program may have it.
    ///   - report: Receives the reports in order, on the runner's queue. It must return at once.
    public init(
        handlers: EffectHandlers, report: @escaping @Sendable ([EffectReport]) -> Void
    ) {
        self.handlers = handlers
        self.report = report
    }

    // MARK: From the engine

    /// Starts these attempts. Returns at once.
    ///
    /// An effect has one attempt at a time. A second dispatch cancels the first attempt and reports
    /// that.
    public nonisolated func run(_ dispatches: [EffectDispatch]) {
        guard !dispatches.isEmpty else { return }
        post { runner in
            for dispatch in dispatches { runner.begin(dispatch) }
        }
    }

    public nonisolated func replace(_ handler: EffectHandler) {
        post { $0.handlers.register(handler) }
    }

    /// Cancels the attempts of these effects. Returns at once; the last reports follow after the
    /// handlers have ended, or at their time limits. Ignores effects without an attempt.
    public nonisolated func cancel(_ refs: [EffectRef]) {
        guard !refs.isEmpty else { return }
        post { runner in
            for ref in refs { runner.cancel(ref) }
        }
    }

    /// Cancels all attempts, and returns after the handlers have ended, or after `grace`. No
    /// attempt starts from now on.
    ///
    /// Handlers that complete in that time are reported. Canceled ones aren't: their effects are
    /// still active in the data file, and the next start dispatches them again.
    public func shutdown(grace: Duration = .seconds(5)) async {
        isShutDown = true
        for ref in attempts.keys { cancel(ref) }
        guard tasks > 0 else { return endShutdown() }
        executor.queue.asyncAfter(deadline: .now() + grace.dispatchInterval) { [weak self] in
            self?.assumeIsolated { $0.endShutdown() }
        }
        await withCheckedContinuation { shutdowns.append($0) }
    }

    // MARK: An attempt

    private func begin(_ dispatch: EffectDispatch) {
        guard !isShutDown else { return }
        guard let handler = dispatch.closure ?? handlers[dispatch.handler] else {
            let reason = "no handler \(dispatch.handler) is registered"
            report([EffectReport(dispatch, .failure(reason))])
            return
        }
        if let earlier = attempts[dispatch.ref] {
            abandon(earlier)
            finish(earlier, .cancelled)
        }
        let runs = overdue[dispatch.handler] ?? 0
        guard runs < handler.concurrencyMax * Self.overdueFactorMax else {
            let reason =
                "\(runs) runs of the handler \(dispatch.handler) go on though their time is up: "
                + "it ignores cancellation"
            report([EffectReport(dispatch, .failure(reason))])
            return
        }
        begun += 1
        let timeout = dispatch.timeout.map { Duration.milliseconds($0) } ?? handler.timeout
        let deadline = ContinuousClock.now + timeout
        attempts[dispatch.ref] = EffectAttempt(
            number: begun, dispatch: dispatch, timeout: timeout, deadline: deadline)
        tasks += 1
        attempts[dispatch.ref]?.task = task(handler, dispatch, number: begun)
        setAlarm(for: deadline)
    }

    private func task(
        _ handler: EffectHandler, _ dispatch: EffectDispatch, number: UInt64
    ) -> Task<Void, Never> {
        let context = EffectHandlerContext(
            key: dispatch.key, attempt: dispatch.attempt, instance: dispatch.owner.text,
            delivered: dispatch.delivered, run: UInt64(dispatch.ref.number),
            traceparent: dispatch.trace
        ) { [weak self] value in
            try EffectReport.Outcome.check(value, as: "event")
            guard let self, await self.emit(value, dispatch.ref, number: number) else {
                throw CancellationError()
            }
        }
        // Detached: the handler must not run on the runner's queue.
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

    private func ended(
        _ dispatch: EffectDispatch, number: UInt64, _ outcome: EffectReport.Outcome, pause: Int64
    ) {
        tasks -= 1
        if let current = attempts[dispatch.ref], current.number == number {
            if case .failed = outcome, current.isCancelled {
                finish(current, .cancelled)
            } else {
                finish(current, outcome, pause: pause)
            }
        } else if let runs = overdue[dispatch.handler] {
            overdue[dispatch.handler] = runs > 1 ? runs - 1 : nil
        }
        if tasks == 0 { endShutdown() }
    }

    private func cancel(_ ref: EffectRef) {
        guard let current = attempts[ref] else { return }
        attempts[ref]?.isCancelled = true
        attempts[ref]?.emitters = [:]
        current.task?.cancel()
        for emitter in current.emitters.values { emitter.resume(returning: false) }
    }

    /// Cancels a handler without waiting for it. It may ignore that.
    private func abandon(_ current: EffectAttempt) {
        overdue[current.dispatch.handler, default: 0] += 1
        current.task?.cancel()
    }

    /// Ends an attempt. It is removed here only, so that no second report can follow.
    private func finish(
        _ ended: EffectAttempt, _ outcome: EffectReport.Outcome, pause: Int64 = 0
    ) {
        attempts[ended.dispatch.ref] = nil
        for emitter in ended.emitters.values { emitter.resume(returning: false) }
        if isShutDown, case .cancelled = outcome { return }
        var last = EffectReport(ended.dispatch, outcome)
        last.pause = pause
        report([last])
    }

    /// Removes the attempts left, so that they can't report to a closed engine.
    private func endShutdown() {
        guard isShutDown else { return }
        attempts = [:]
        let waiting = shutdowns
        shutdowns = []
        for shutdown in waiting { shutdown.resume() }
    }

    // MARK: Results before the end

    /// Reports a result and waits until the engine has committed it.
    ///
    /// - Returns: Whether it was applied; `false` for an attempt that has ended or was canceled.
    private func emit(_ value: JSONValue, _ ref: EffectRef, number: UInt64) async -> Bool {
        guard var current = attempts[ref], current.number == number, !current.isCancelled else {
            return false
        }
        current.emitted += 1
        let result = current.dispatch.delivered + current.emitted
        return await withCheckedContinuation { emitter in
            current.emitters[result] = emitter
            attempts[ref] = current
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
        guard attempts[ref]?.number == number,
            let emitter = attempts[ref]?.emitters.removeValue(forKey: result)
        else { return }
        // The effect isn't current: its cancellation follows.
        if !isApplied { attempts[ref]?.isCancelled = true }
        emitter.resume(returning: isApplied)
    }

    // MARK: Time

    /// One timer for all attempts, set to the next deadline. So an attempt that ends in time, as
    /// nearly all do, needs none.
    private func setAlarm(for deadline: ContinuousClock.Instant) {
        if let alarm, alarm <= deadline { return }
        alarm = deadline
        let wait = max(.zero, deadline - .now).dispatchInterval
        if let timer { return timer.schedule(deadline: .now() + wait, leeway: .milliseconds(1)) }
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.timerFired() } }
        timer.schedule(deadline: .now() + wait, leeway: .milliseconds(1))
        timer.resume()
        self.timer = timer
    }

    private func timerFired() {
        alarm = nil
        let now = ContinuousClock.now
        let over = attempts.values.filter { $0.deadline <= now }
        for current in over.sorted(by: { $0.deadline < $1.deadline }) { expire(current) }
        if let next = attempts.values.map(\.deadline).min() { setAlarm(for: next) }
    }

    private func expire(_ current: EffectAttempt) {
        abandon(current)
        let outcome: EffectReport.Outcome =
            current.isCancelled ? .cancelled : .failure("took longer than \(current.timeout)")
        finish(current, outcome)
    }
}

extension Duration {
    /// The same for Dispatch, at most a day: a longer wait sets the timer again.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let bounded = min(self, .seconds(86_400))
        let (seconds, attoseconds) = bounded.components
        // Rounded up, so that the timer never fires early.
        return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + 1))
    }
}
