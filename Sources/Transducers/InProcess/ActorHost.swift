/// A machine in an actor of its own: the host for code with `async`. It needs no task while
/// nothing happens, so that many can be held.
public actor ActorHost<Machine: RunnableTransducer & SendableMetatype>
where Machine.Event: Sendable, Machine.Output: Sendable {
    /// Told how the machine ended, once: the output of the last step, or why there is none.
    public typealias Completion = @Sendable (Result<Machine.Output, any Error>) -> Void

    @usableFromInline let machine: InProcessMachine<Machine>
    private let output: (@Sendable (Machine.Output) -> Void)?
    private var waitingForEnd: [Int: CheckedContinuation<Machine.Output, any Error>] = [:]
    private var lastWaiter = 0
    private var isAdopted = false

    /// Puts a machine into its initial state.
    ///
    /// - Parameters:
    ///   - machine: Which machine.
    ///   - initialState: Its state.
    ///   - env: What effects are given to work with.
    ///   - options: Bounds, clock and trace.
    ///   - inboxSize: How many events may wait for an action to end.
    ///   - output: Told every output, in order, on the actor.
    ///   - completion: Told how the machine ended, once.
    public init(
        of machine: Machine.Type = Machine.self, initialState: sending Machine.State,
        env: sending Machine.Env, options: sending RunOptions<Machine> = RunOptions(),
        inboxSize: Int = 1_024, output: (@Sendable (Machine.Output) -> Void)? = nil,
        completion: Completion? = nil
    ) {
        let made = InProcessMachine<Machine>(
            state: initialState, env: env, options: options, inboxSize: inboxSize,
            isListenedTo: output != nil, completion: completion)
        self.output = output
        made.begin()
        made.performWork(output)
        self.machine = made
    }

    /// The state as it is now.
    public var state: Machine.State { machine.state }

    /// How many events wait for an action to end.
    public var waitingCount: Int { machine.waitingCount }

    /// What went on that no sender was told of.
    public var report: RunReport { machine.report }

    /// Applies an event with everything it causes at once. Returns when that has happened; the
    /// work of effects continues.
    ///
    /// - Throws: What `update` threw, such as a ``Rejection``; ``TransducerError/ended``;
    ///   ``TransducerError/immediateEventLimit(_:)``;
    ///   ``TransducerError/bufferFull(capacity:)`` when too many events wait for an action.
    ///   Nothing has changed then.
    public func send(_ event: Machine.Event) async throws {
        adopt()
        guard machine.isQuick else { return try await sendSlowly(event) }
        if try !machine.applyQuickly(event) { deliver() }
    }

    @usableFromInline
    func sendSlowly(_ event: Machine.Event) async throws {
        // Resumed within the call, unless the event waits for an action.
        let verdict = await withUnsafeContinuation { continuation in
            machine.send(event) { continuation.resume(returning: $0) }
            deliver()
        }
        try verdict.check()
    }

    /// Sends an event and returns a handle on what comes of it.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - tracking: How far the handle follows.
    ///   - id: What the send can be cancelled by, by any event's ``TransducerEffect/cancel(id:)``.
    ///   - priority: The priority of effects that name none.
    @discardableResult
    public func send(
        _ event: Machine.Event, tracking: EffectTracking,
        id: (any Hashable & Sendable)? = nil, priority: TaskPriority? = nil
    ) -> SendResults<Machine.Output> {
        adopt()
        let results = SendResults<Machine.Output>()
        let request = EffectRequest(
            tracking: tracking, id: id, priority: priority, observer: results)
        results.whenCancelled { [weak self, weak request] in
            guard let self, let request else { return }
            Task { await self.cancel(request) }
        }
        machine.send(event, request: request, answer: nil)
        deliver()
        return results
    }

    /// Waits for the end of the machine.
    ///
    /// - Returns: The output of the last step.
    /// - Throws: ``TransducerError/cancelled``, or what it was cancelled with;
    ///   ``TransducerError/noOutputProduced``; `CancellationError` when the task is cancelled
    ///   while it waits.
    public func result() async throws -> Machine.Output {
        if let outcome = machine.outcome { return try outcome.get() }
        lastWaiter += 1
        let number = lastWaiter
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    waitingForEnd[number] = continuation
                }
            }
        } onCancel: {
            Task { await self.stopWaiting(number) }
        }
    }

    private func stopWaiting(_ number: Int) {
        waitingForEnd.removeValue(forKey: number)?.resume(throwing: CancellationError())
    }

    /// Ends the machine: effects are cancelled, waiting events answered.
    public func cancel(with error: (any Error)? = nil) {
        machine.cancel(error ?? TransducerError.cancelled)
        deliver()
    }

    private func cancel(_ request: EffectRequest) {
        machine.cancel(request)
        deliver()
    }

    private func adopt() {
        if !isAdopted {
            machine.owner = self
            isAdopted = true
        }
    }

    @usableFromInline
    func deliver() {
        machine.performWork(output)
        guard !machine.isDelivering, let outcome = machine.outcome else { return }
        let waiting = waitingForEnd
        waitingForEnd = [:]
        for waiter in waiting.values { waiter.resume(with: outcome) }
    }

    private func drain() {
        machine.drain()
        deliver()
    }

    private func receive(_ result: Result<[Machine.Event], any Error>) {
        machine.actionEnded(result)
        deliver()
    }
}

extension ActorHost: MachineOwner {
    typealias Event = Machine.Event

    nonisolated var effectActor: any Actor { self }

    nonisolated func wake() {
        Task { await drain() }
    }

    nonisolated func actionEnded(_ result: Result<[Machine.Event], any Error>) {
        Task { await receive(result) }
    }
}

extension ActorHost where Machine.Env == Void {
    /// Puts a machine whose effects need no environment into its initial state.
    ///
    /// - Parameters: As those of `init(of:initialState:env:options:inboxSize:output:completion:)`.
    public init(
        of machine: Machine.Type = Machine.self, initialState: sending Machine.State,
        options: sending RunOptions<Machine> = RunOptions(), inboxSize: Int = 1_024,
        output: (@Sendable (Machine.Output) -> Void)? = nil, completion: Completion? = nil
    ) {
        self.init(
            of: machine, initialState: initialState, env: (), options: options,
            inboxSize: inboxSize, output: output, completion: completion)
    }
}
