// The forms in which Oak's users write operations.

extension TransducerEffect {
    /// Starts `operation` beside the machine. It sends its events to the input it is given; they
    /// count as long as this run of the effect is current. It runs on its own actor, if it names
    /// one.
    ///
    /// - Parameters:
    ///   - id: The effect's id, if any.
    ///   - policy: What happens when an effect with this id lives.
    ///   - queue: The queue it stands in; then the queue decides instead of `policy`.
    ///   - priority: The task's priority, and its rank in the queue.
    ///   - operation: The work.
    public init(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        operation: @escaping @Sendable @isolated(any) (Env, Input) async throws -> Void
    ) where Env: Sendable {
        self.init(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { env, sink, _, _ in
                try await operation(env.get(), Machine.Proxy.makeInput(sink))
            })
    }

    /// Starts `operation` beside the machine, on the machine's own actor. So the environment
    /// need not be sendable.
    ///
    /// - Parameters: As those of `init(id:policy:queue:priority:operation:)`.
    public init(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        isolatedOperation operation:
            @escaping @Sendable (Env, Input, isolated any Actor) async throws -> Void
    ) {
        self.init(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { env, sink, _, actor in
                try await operation(
                    env.forMachineActor(), Machine.Proxy.makeInput(sink), actor.get())
            })
    }

    /// Starts `operation` beside the machine after a while. Cancelled before, it runs no code.
    ///
    /// - Parameters:
    ///   - id: The effect's id, if any.
    ///   - policy: What happens when an effect with this id lives.
    ///   - priority: The task's priority.
    ///   - operation: The work.
    ///   - duration: How long to wait.
    ///   - tolerance: How much later it may be.
    ///   - clock: The clock to wait by; for the one the machine was started with, use
    ///     ``after(_:id:policy:_:)``, or wait in the operation.
    public init<C: Clock>(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, priority: TaskPriority? = nil,
        operation: @escaping @Sendable @isolated(any) (Env, Input) async throws -> Void,
        after duration: C.Instant.Duration, tolerance: C.Instant.Duration? = nil,
        clock: C = ContinuousClock()
    ) where Env: Sendable {
        self.init(
            id: id, policy: policy, queue: nil, priority: priority,
            body: { env, sink, _, _ in
                try await clock.sleep(
                    until: clock.now.advanced(by: duration), tolerance: tolerance)
                try Task.checkCancellation()
                try await operation(env.get(), Machine.Proxy.makeInput(sink))
            })
    }

    /// Starts `operation` beside the machine after a while, on the machine's own actor.
    /// Cancelled before, it runs no code.
    ///
    /// - Parameters: As those of `init(id:policy:priority:operation:after:tolerance:clock:)`.
    public init<C: Clock>(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, priority: TaskPriority? = nil,
        isolatedOperation operation:
            @escaping @Sendable (Env, Input, isolated any Actor) async throws -> Void,
        after duration: C.Instant.Duration, tolerance: C.Instant.Duration? = nil,
        clock: C = ContinuousClock()
    ) {
        self.init(
            id: id, policy: policy, queue: nil, priority: priority,
            body: { env, sink, _, actor in
                try await clock.sleep(
                    until: clock.now.advanced(by: duration), tolerance: tolerance)
                try Task.checkCancellation()
                try await operation(
                    env.forMachineActor(), Machine.Proxy.makeInput(sink), actor.get())
            })
    }

    init(
        id: (some Hashable & Sendable)?, policy: EffectPolicy, queue: (any EffectQueue)?,
        priority: TaskPriority?, body: @escaping EffectOperation<Event, Env>.Body
    ) {
        self.init(
            .operation(
                EffectOperation(
                    key: EffectKey(base: id.map { AnyKey($0) }), policy: policy,
                    queue: queue.map { QueueKey($0) }, priority: priority, body: body)))
    }
}
