/// A machine for code without `async`: events are applied in the call that sends them, from any
/// thread, one after the other.
///
/// Effects run in tasks, and what they send is applied on their threads. While an action of a
/// step is awaited, events wait; at most `inboxSize` of them.
///
/// Callbacks (`output`, `completion`, the trace of the options) and the cancellation handlers of
/// effects are called outside of all locks: they may send, and read the state. `update` may not.
public final class SynchronousDriver<Machine: RunnableTransducer & SendableMetatype>: Sendable
where Machine.Event: Sendable, Machine.Output: Sendable, Machine.State: Sendable {
    /// Told how the machine ended, once: the output of the last step, or why there is none.
    public typealias Completion = @Sendable (Result<Machine.Output, any Error>) -> Void

    @usableFromInline let machine: Locked<InProcessMachine<Machine>>
    private let output: (@Sendable (Machine.Output) -> Void)?
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
        let made = InProcessMachine<Machine>(
            state: initialState, env: env, options: options, inboxSize: inboxSize,
            isListenedTo: output != nil, completion: completion)
        // The environment goes to closures as `EffectEnv` says, and the trace is called by one
        // thread at a time.
        self.machine = Locked(Handover(unchecked: made).take())
        self.output = output
        call { machine in
            machine.owner = self
            machine.begin()
        }
    }

    /// The state as it is now.
    public var state: Machine.State { machine.withLock { $0.state } }

    /// How many events wait for an action to end.
    public var waitingCount: Int { machine.withLock { $0.waitingCount } }

    /// What went on that no sender was told of.
    public var report: RunReport { machine.withLock { $0.report } }

    /// Applies an event with everything it causes at once.
    ///
    /// When the machine waits for an action, the event waits too, and the call returns.
    ///
    /// - Throws: What `update` threw, such as a ``Rejection``; ``TransducerError/ended``;
    ///   ``TransducerError/immediateEventLimit(_:)``;
    ///   ``TransducerError/bufferFull(capacity:)``. Nothing has changed then.
    @inlinable
    public func send(_ event: Machine.Event) throws {
        let (isApplied, work) = try machine.withLock { machine in
            guard machine.isQuick else { return (false, DeferredWork<Machine>.Part?.none) }
            return (true, try machine.applyQuickly(event) ? nil : machine.nextWork())
        }
        guard isApplied else { return try sendSlowly(event) }
        if let work { perform(work) }
    }

    /// Applies an event with everything it causes at once, and returns what came out; nothing if
    /// the event has to wait for an action.
    ///
    /// - Throws: As ``send(_:)``.
    public func outputs(of event: Machine.Event) throws -> [Machine.Output] {
        let results = SendResults<Machine.Output>()
        try sendSlowly(event, request: EffectRequest(tracking: .own, observer: results))
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
        let request = EffectRequest(
            tracking: tracking, id: id, priority: priority, observer: results)
        results.whenCancelled { [weak self, weak request] in
            guard let self, let request else { return }
            call { $0.cancel(request) }
        }
        call { $0.send(event, request: request, answer: nil) }
        return results
    }

    /// Ends the machine: effects are cancelled, waiting events answered.
    public func cancel(with error: (any Error)? = nil) {
        call { $0.cancel(error ?? TransducerError.cancelled) }
    }

    // MARK: Inside

    @usableFromInline
    func sendSlowly(_ event: Machine.Event) throws {
        try sendSlowly(event, request: nil)
    }

    /// - Throws: The verdict, if it is given during the call: a later one is dropped.
    private func sendSlowly(_ event: Machine.Event, request: EffectRequest?) throws {
        let verdict = Locked<SendVerdict?>(nil)
        call { machine in
            machine.send(event, request: request) { given in verdict.withLock { $0 = given } }
        }
        try verdict.withLock { $0 }?.check()
    }

    /// Calls the machine with the lock held, and does what comes of it without.
    private func call(_ body: (InProcessMachine<Machine>) -> Void) {
        let work = machine.withLock { machine in
            body(machine)
            return machine.nextWork()
        }
        if let work { perform(work) }
    }

    /// Cancels, releases, and delivers, unless another thread delivers. All code of others runs
    /// here, without the lock: it may call the driver.
    @usableFromInline
    func perform(_ first: DeferredWork<Machine>.Part) {
        var work = Optional(first)
        while let part = work.take() {
            let isDelivery = part.isDelivery
            part.perform(output)
            work = machine.withLock { machine in
                if isDelivery { machine.delivered() }
                return machine.nextWork()
            }
        }
    }
}

extension SynchronousDriver: MachineOwner {
    typealias Event = Machine.Event

    var effectActor: any Actor { actor }

    func wake() { call { $0.drain() } }

    func actionEnded(_ result: Result<[Machine.Event], any Error>) {
        call { $0.actionEnded(result) }
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
