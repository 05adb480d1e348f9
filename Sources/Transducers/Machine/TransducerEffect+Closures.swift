// The forms of effects whose closures don't ask for the environment: as Actomaton's users write
// them, with the context or without.

extension TransducerEffect {
    /// Starts `body` beside the machine; the event it returns, if any, is applied.
    ///
    /// A trailing closure of one parameter means this. An action, which the machine waits for,
    /// has to be asked for: `init(action:)`.
    ///
    /// - Parameters:
    ///   - id: The effect's id, if any.
    ///   - policy: What happens when an effect with this id lives.
    ///   - queue: The queue it stands in; then the queue decides instead of `policy`.
    ///   - priority: The task's priority, and its rank in the queue.
    ///   - body: The work; gets the context with the clock.
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
    /// - Parameters: As those of the form with a context.
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

    /// Applies the elements of the sequence that `sequence` makes. The next element is asked for
    /// when the one before has been applied.
    ///
    /// - Parameters:
    ///   - id: The effect's id, if any.
    ///   - policy: What happens when an effect with this id lives.
    ///   - queue: The queue it stands in; then the queue decides instead of `policy`.
    ///   - priority: The task's priority, and its rank in the queue.
    ///   - sequence: Makes the sequence of events; gets the context with the clock.
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

    /// Starts `body` beside the machine; no event comes of it. If it throws, the effect has failed.
    ///
    /// - Parameters: As those of ``fireAndForget(id:policy:queue:priority:_:)``, with a closure
    ///   that gets the context alone.
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

    /// Starts `body` beside the machine; no event comes of it. If it throws, the effect has failed.
    ///
    /// - Parameters: As those of ``fireAndForget(id:policy:queue:priority:_:)``, with a closure
    ///   that gets nothing.
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
