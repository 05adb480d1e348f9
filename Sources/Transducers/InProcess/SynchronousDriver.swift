/// A machine for code without `async`: events are applied in the call that sends them, from any
/// thread, one after the other.
///
/// Effects run in tasks, and what they send is applied on their threads. While an action of a
/// step is awaited, events wait; at most `inboxSize` of them.
///
/// Callbacks (`output`, `completion`, the trace of the options) and the cancellation handlers of
/// effects are called outside of all locks: they may send, and read the state. `update` may not.
public final class SynchronousDriver<Machine: RunnableTransducer & SendableMetatype>:
    @unchecked Sendable
where Machine.Event: Sendable, Machine.Output: Sendable, Machine.State: Sendable {
    // Sendable, because the core is used under the lock alone.

    /// Told how the machine ended, once: the output of the last step, or why there is none.
    public typealias Completion = @Sendable (Result<Machine.Output, any Error>) -> Void

    private let lock = Lock()
    @usableFromInline let core: MachineCore<Machine>
    private let output: (@Sendable (Machine.Output) -> Void)?
    private var isDelivering = false
    private let actor = RunActor()

    /// Puts a machine into its initial state.
    ///
    /// - Parameters:
    ///   - machine: Which machine.
    ///   - initialState: Its state.
    ///   - env: What effects are given to work with.
    ///   - options: Bounds, clock and trace.
    ///   - inboxSize: How many events may wait for an action to end.
    ///   - output: Told every output, in order, by one thread at a time, outside of all locks:
    ///     it may send.
    ///   - completion: Told how the machine ended, once.
    public init(
        of machine: Machine.Type = Machine.self, initialState: Machine.State,
        env: Machine.Env, options: RunOptions<Machine> = RunOptions(), inboxSize: Int = 1_024,
        output: (@Sendable (Machine.Output) -> Void)? = nil, completion: Completion? = nil
    ) {
        core = MachineCore(
            state: initialState, env: env, options: options, inboxSize: inboxSize,
            isListenedTo: output != nil, completion: completion)
        self.output = output
        core.host = self
        core.begin()
        leave()
    }

    /// The state as it is now.
    public var state: Machine.State { withCore { $0.state } }

    /// How many events wait for an action to end.
    public var waitingCount: Int { withCore { $0.waitingCount } }

    /// What went on that no sender was told of.
    public var report: RunReport { withCore { $0.report } }

    /// Applies an event with everything it causes at once.
    ///
    /// When the machine waits for an action, the event waits too, and the call returns.
    ///
    /// - Throws: What `update` threw, such as a ``Rejection``; ``TransducerError/ended``;
    ///   ``TransducerError/immediateEventLimit(_:)``;
    ///   ``TransducerError/bufferFull(capacity:)``. Nothing has changed then.
    @inlinable
    public func send(_ event: Machine.Event) throws {
        enter()
        guard core.isQuick else { return try sendSlowly(event) }
        do {
            if try core.applyQuickly(event) { exit() } else { leave() }
        } catch {
            exit()
            throw error
        }
    }

    /// Applies an event with everything it causes at once, and returns what came out; nothing if
    /// the event has to wait for an action.
    ///
    /// - Throws: As ``send(_:)``.
    public func outputs(of event: Machine.Event) throws -> [Machine.Output] {
        let results = SendResults<Machine.Output>()
        let request = TrackedSend(tracking: .own, id: nil, priority: nil, results: results)
        let box = VerdictBox()
        enter()
        core.send(event, request: request) { box.set($0) }
        leave()
        try box.check()
        return results.takeOutputs()
    }

    /// Sends an event and returns at once with a handle on what comes of it.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - tracking: How far the handle follows.
    ///   - id: What the send can be cancelled by, by any event's ``TransducerEffect/cancel(id:)``.
    ///   - priority: The priority of effects that name none.
    public func send(
        _ event: Machine.Event, tracking: EffectTracking,
        id: (any Hashable & Sendable)? = nil, priority: TaskPriority? = nil
    ) -> SendResults<Machine.Output> {
        let results = SendResults<Machine.Output>()
        let request = TrackedSend(
            tracking: tracking, id: id, priority: priority, results: results)
        results.whenCancelled { [weak self, weak request] in
            guard let self, let request else { return }
            enter()
            core.cancel(request)
            leave()
        }
        enter()
        core.send(event, request: request, answer: nil)
        leave()
        return results
    }

    /// Ends the machine: effects are cancelled, waiting events answered.
    public func cancel(with error: (any Error)? = nil) {
        enter()
        core.cancel(error ?? TransducerError.cancelled)
        leave()
    }

    // MARK: Inside

    @usableFromInline
    func enter() { lock.lock() }

    @usableFromInline
    func exit() { lock.unlock() }

    @usableFromInline
    func sendSlowly(_ event: Machine.Event) throws {
        let box = VerdictBox()
        core.send(event) { box.set($0) }
        leave()
        try box.check()
    }

    private func withCore<Result>(_ body: (MachineCore<Machine>) -> Result) -> Result {
        enter()
        defer { exit() }
        return body(core)
    }

    /// Unlocks, cancels what is to be cancelled, and delivers what has come out, unless another
    /// thread is at it. All code of others runs here, outside of the lock: it may come back.
    @usableFromInline
    func leave() {
        while true {
            while unlockAndClear() { lock.lock() }
            guard !isDelivering, core.hasNews else { break }
            let records = core.errands.takeRecords()
            let outputs = core.takeOutbox()
            let ending = core.takeCompletion()
            isDelivering = true
            lock.unlock()
            for record in records { core.trace?(record) }
            for value in outputs { output?(value) }
            ending?()
            lock.lock()
            isDelivering = false
        }
        lock.unlock()
    }

    /// Unlocks, if there is something to cancel or to let go of, and does so: all of it is gone
    /// when this returns.
    ///
    /// - Returns: Whether there was, and the lock is free.
    private func unlockAndClear() -> Bool {
        guard let clearing = core.errands.takeClearing() else { return false }
        lock.unlock()
        clearing.perform()
        return true
    }
}

extension SynchronousDriver: MachineHost {
    typealias Event = Machine.Event

    var effectActor: any Actor { actor }

    func wake() {
        enter()
        core.drain()
        leave()
    }

    func acted(_ result: Result<[Machine.Event], any Error>) {
        enter()
        core.acted(result)
        leave()
    }
}

extension SynchronousDriver where Machine.Env == Void {
    /// Puts a machine whose effects need no environment into its initial state.
    ///
    /// - Parameters: As those of `init(of:initialState:env:options:inboxSize:output:completion:)`.
    public convenience init(
        of machine: Machine.Type = Machine.self, initialState: Machine.State,
        options: RunOptions<Machine> = RunOptions(), inboxSize: Int = 1_024,
        output: (@Sendable (Machine.Output) -> Void)? = nil, completion: Completion? = nil
    ) {
        self.init(
            of: machine, initialState: initialState, env: (), options: options,
            inboxSize: inboxSize, output: output, completion: completion)
    }
}

/// An answer that is given during a call, or not at all.
private final class VerdictBox: @unchecked Sendable {
    // Sendable, because it is written at most once, and read by the thread that waits for the
    // call in which that happens; a later answer is dropped.
    private let lock = Lock()
    private var verdict: SendVerdict?

    func set(_ verdict: SendVerdict) {
        lock.lock()
        self.verdict = verdict
        lock.unlock()
    }

    func check() throws {
        lock.lock()
        let verdict = verdict
        lock.unlock()
        try verdict?.check()
    }
}
