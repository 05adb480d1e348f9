// Operations in the forms of Oak.

extension TransducerEffect {
    /// Starts `operation` beside the machine. It sends events to its input; they count while this
    /// run of the effect is current. It runs on its own actor, if it names one.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``.
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
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``.
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

    /// Starts `operation` beside the machine after a time. If canceled before, it never starts.
    ///
    /// - Parameters:
    ///   - id: The effect's id, if any.
    ///   - policy: The rule for a live effect with this id.
    ///   - priority: The task's priority.
    ///   - operation: The work.
    ///   - duration: The time to wait.
    ///   - tolerance: The allowed delay after that.
    ///   - clock: The clock to wait by. For the machine's own clock, use ``after(_:id:policy:_:)``,
    ///     or wait in the operation.
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

    /// Starts `operation` beside the machine after a time, on the machine's own actor. If canceled
    /// before, it never starts.
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
