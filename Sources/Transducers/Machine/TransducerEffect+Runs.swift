// Effects in the forms of Actomaton: closures that return events.

extension TransducerEffect {
    /// Starts `body` beside the machine; the event it returns, if any, is applied.
    ///
    /// - Parameters:
    ///   - id: The effect's id, if any.
    ///   - policy: The rule for a live effect with this id.
    ///   - queue: The queue of the effect; then the queue decides instead of `policy`.
    ///   - priority: The task's priority, and its rank in the queue.
    ///   - body: The work; gets the environment and the context with the clock.
    public static func run(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        _ body: @escaping @Sendable (Env, EffectContext) async throws -> sending Event?
    ) -> TransducerEffect where Env: Sendable {
        TransducerEffect(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { env, sink, context, _ in
                if let event = try await body(env.get(), context) { try sink.send(event) }
            })
    }

    /// Starts `body` beside the machine and applies the elements of the sequence it returns. The
    /// next element is requested after the one before has been applied.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``.
    public static func stream<Events: AsyncSequence & SendableMetatype>(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        _ body: @escaping @Sendable (Env, EffectContext) async throws -> Events
    ) -> TransducerEffect
    where
        Env: Sendable, Event: Sendable, Events.Element == Event,
        Events.AsyncIterator: SendableMetatype
    {
        TransducerEffect(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { env, sink, context, _ in
                for try await event in try await body(env.get(), context) {
                    try await sink.sendAndWait(event)
                }
            })
    }

    /// Starts `body` beside the machine; it sends events to its input at any time.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``. With `autoFinish`, the
    ///   effect ends when `body` returns; otherwise the input may be used until it is canceled.
    public static func stream(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, autoFinish: Bool = false,
        _ body: @escaping @Sendable (Env, Input, EffectContext) async throws -> Void
    ) -> TransducerEffect where Env: Sendable {
        TransducerEffect(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { env, sink, context, _ in
                try await body(env.get(), Machine.Proxy.makeInput(sink), context)
                if !autoFinish { try await waitUntilCancelled() }
            })
    }

    /// Starts `body` beside the machine; it sends no event. If it throws, the effect has failed.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``.
    public static func fireAndForget(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        _ body: @escaping @Sendable (Env, EffectContext) async throws -> Void
    ) -> TransducerEffect where Env: Sendable {
        TransducerEffect(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { env, _, context, _ in try await body(env.get(), context) })
    }
}

/// Throws when the task is canceled.
private func waitUntilCancelled() async throws {
    let (never, continuation) = AsyncStream<Never>.makeStream()
    for await _ in never {}
    continuation.finish()
    try Task.checkCancellation()
}
