// Effects whose closures don't get the environment: the forms of Actomaton, with the context or
// without.

extension TransducerEffect {
    /// Starts `body` beside the machine; the event it returns, if any, is applied.
    ///
    /// A trailing closure of one parameter means this form. An action, which the machine awaits,
    /// needs its label: `init(action:)`.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``; `body` gets the context.
    public init(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        _ body: @escaping @Sendable (EffectContext) async throws -> sending Event?
    ) {
        self.init(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { _, sink, context, _ in
                if let event = try await body(context) { try sink.send(event) }
            })
    }

    /// Starts `body` beside the machine; the event it returns, if any, is applied.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``; `body` gets nothing.
    public init(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        _ body: @escaping @Sendable () async throws -> sending Event?
    ) {
        self.init(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { _, sink, _, _ in
                if let event = try await body() { try sink.send(event) }
            })
    }

    /// Applies the elements of the sequence that `sequence` makes. The next element is requested
    /// after the one before has been applied.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``; `sequence` gets the context.
    public init<Events: AsyncSequence & SendableMetatype>(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        sequence: @escaping @Sendable (EffectContext) async throws -> Events
    )
    where
        Event: Sendable, Events.Element == Event, Events.AsyncIterator: SendableMetatype
    {
        self.init(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { _, sink, context, _ in
                for try await event in try await sequence(context) {
                    try await sink.sendAndWait(event)
                }
            })
    }

    /// Applies the elements of the sequence that `sequence` makes.
    ///
    /// - Parameters: As those of the form with a context.
    public init<Events: AsyncSequence & SendableMetatype>(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        sequence: @escaping @Sendable () async throws -> Events
    )
    where
        Event: Sendable, Events.Element == Event, Events.AsyncIterator: SendableMetatype
    {
        self.init(
            id: id, policy: policy, queue: queue, priority: priority,
            sequence: { (_: EffectContext) in try await sequence() })
    }

    /// Starts `body` beside the machine; it sends no event. If it throws, the effect has failed.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``; `body` gets the context.
    public static func fireAndForget(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        _ body: @escaping @Sendable (EffectContext) async throws -> Void
    ) -> TransducerEffect {
        TransducerEffect(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { _, _, context, _ in try await body(context) })
    }

    /// Starts `body` beside the machine; it sends no event. If it throws, the effect has failed.
    ///
    /// - Parameters: As those of ``run(id:policy:queue:priority:_:)``; `body` gets nothing.
    public static func fireAndForget(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil,
        _ body: @escaping @Sendable () async throws -> Void
    ) -> TransducerEffect {
        TransducerEffect(
            id: id, policy: policy, queue: queue, priority: priority,
            body: { _, _, _, _ in try await body() })
    }

    /// Applies `event` within the same step: another word for ``event(_:)``.
    public static func nextAction(_ event: Event) -> TransducerEffect { .event(event) }

    /// Applies `event` within the same step: another word for ``event(_:)``.
    public static func next(_ event: Event) -> TransducerEffect { .event(event) }
}
