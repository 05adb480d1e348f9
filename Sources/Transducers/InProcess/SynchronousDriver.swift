/// A machine for code without `async`: the call that sends an event applies it, from any thread,
/// one after the other.
///
/// Effects run in tasks, and their events are applied on their threads. While an action of a step
/// is awaited, events wait; at most `inboxSize` of them.
///
/// Callbacks (`output`, `completion`, the trace of the options) and the cancellation handlers of
/// effects are called outside of all locks: they may send, and read the state. `update` may not.
public final class SynchronousDriver<Machine: RunnableTransducer & SendableMetatype>: Sendable
where Machine.Event: Sendable, Machine.Output: Sendable, Machine.State: Sendable {
    /// Receives the machine's end, once: the output of the last step, or the error.
    public typealias Completion = @Sendable (Result<Machine.Output, any Error>) -> Void

    @usableFromInline let machine: Locked<InProcessMachine<Machine>>
    private let output: (@Sendable (Machine.Output) -> Void)?
    private let actor = RunActor()

    /// Puts a machine into its initial state.
    ///
    /// - Parameters:
    ///   - machine: The machine.
    ///   - initialState: Its state.
    ///   - env: The environment of effects.
    ///   - options: Bounds, clock and trace.
    ///   - inboxSize: The number of events that may wait for an action.
    ///   - output: Receives every output, in order, on one thread at a time. Outputs of others wait
    ///     meanwhile, without a bound.
    ///   - completion: Receives the machine's end, once.
    public init(
        of machine: Machine.Type = Machine.self, initialState: Machine.State,
        env: Machine.Env, options: RunOptions<Machine> = RunOptions(), inboxSize: Int = 1_024,
        output: (@Sendable (Machine.Output) -> Void)? = nil, completion: Completion? = nil
    ) {
        let made = InProcessMachine<Machine>(
            state: initialState, env: env, options: options, inboxSize: inboxSize,
            isListenedTo: output != nil, completion: completion)
        // Closures get the environment as `EffectEnv` says, and one thread at a time calls the
        // trace.
        self.machine = Locked(Handover(unchecked: made).take())
        self.output = output
        call { machine in
            machine.owner = self
            machine.begin()
        }
    }

    /// The present state.
    public var state: Machine.State { machine.withLock { $0.state } }

    /// The number of events that wait for an action.
    public var waitingCount: Int { machine.withLock { $0.waitingCount } }

    /// The failures and refusals that weren't reported to a sender.
    public var report: RunReport { machine.withLock { $0.report } }

    /// Applies an event and its immediate events. If the machine awaits an action, the event waits
    /// too, and the call returns.
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

    /// Applies an event and its immediate events, and returns all their outputs; none if the event
    /// must wait for an action.
    ///
    /// - Throws: As ``send(_:)``.
    public func outputs(of event: Machine.Event) throws -> [Machine.Output] {
        let results = SendResults<Machine.Output>(waitingMax: .max)
        try sendSlowly(event, request: EffectRequest(tracking: .own, observer: results))
        return results.takeOutputs()
    }

    /// Sends an event and returns its results at once.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - tracking: The extent of the results.
    ///   - id: Lets ``TransducerEffect/cancel(id:)`` of any event cancel the send.
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

    /// Ends the machine: cancels its effects, and answers waiting events.
    public func cancel(with error: (any Error)? = nil) {
        call { $0.cancel(error ?? TransducerError.cancelled) }
    }

    // MARK: Inside

    /// - Throws: The verdict, if it is given during the call: a later one is dropped.
    @usableFromInline
    func sendSlowly(_ event: Machine.Event, request: EffectRequest? = nil) throws {
        let verdict = Locked<SendVerdict?>(nil)
        call { machine in
            machine.send(event, request: request) { given in verdict.withLock { $0 = given } }
        }
        try verdict.withLock { $0 }?.check()
    }

    /// Calls the machine with the lock held, and performs its deferred work without.
    private func call(_ body: (InProcessMachine<Machine>) -> Void) {
        let work = machine.withLock { machine in
            body(machine)
            return machine.nextWork()
        }
        if let work { perform(work) }
    }

    /// Performs deferred work, until none is left. All user code runs here, without the lock: it
    /// may call the driver.
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
    /// As `init(of:initialState:env:options:inboxSize:output:completion:)`, without environment.
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
