/// A machine in its own actor, for code with `async`. It needs no task while it is idle, so that a
/// program can hold many. Its release ends the machine; while an isolated closure of an effect runs
/// on it, it isn't released.
public final actor ActorHost<Machine: RunnableTransducer & SendableMetatype>
where Machine.Event: Sendable, Machine.Output: Sendable {
    /// Receives the machine's end, once: the output of the last step, or the error.
    public typealias Completion = @Sendable (Result<Machine.Output, any Error>) -> Void

    @usableFromInline let machine: InProcessMachine<Machine>
    private let output: (@Sendable (Machine.Output) -> Void)?
    private var waitingForEnd: [Int: CheckedContinuation<Machine.Output, any Error>] = [:]
    private var lastWaiter = 0
    private var isAdopted = false

    /// Puts a machine into its initial state.
    ///
    /// - Parameters:
    ///   - machine: The machine.
    ///   - initialState: Its state.
    ///   - env: The environment of effects.
    ///   - options: Bounds, clock and trace.
    ///   - inboxSize: The number of events that may wait for an action.
    ///   - output: Receives every output, in order, on the actor.
    ///   - completion: Receives the machine's end, once.
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

    /// The present state.
    public var state: Machine.State { machine.state }

    /// The number of events that wait for an action.
    public var waitingCount: Int { machine.waitingCount }

    /// The failures and refusals that weren't reported to a sender.
    public var report: RunReport { machine.report }

    /// Applies an event and its immediate events, and returns after that; effects continue.
    ///
    /// - Throws: What `update` threw, such as a ``Rejection``; ``TransducerError/ended``;
    ///   ``TransducerError/immediateEventLimit(_:)``; ``TransducerError/bufferFull(capacity:)``
    ///   when too many events wait for an action. Nothing has changed then.
    @inlinable
    public func send(_ event: Machine.Event) async throws {
        // `final` on the actor lets other modules specialize this: it is 7 times as fast.
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

    /// Sends an event and returns its results.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - tracking: The extent of the results.
    ///   - id: Lets ``TransducerEffect/cancel(id:)`` of any event cancel the send.
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

    /// Ends the machine: cancels its effects, and answers waiting events.
    public func cancel(with error: (any Error)? = nil) {
        machine.cancel(error ?? TransducerError.cancelled)
        deliver()
    }

    private func cancel(_ request: EffectRequest) {
        machine.cancel(request)
        deliver()
    }

    @usableFromInline
    func adopt() {
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
    /// As `init(of:initialState:env:options:inboxSize:output:completion:)`, without environment.
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
