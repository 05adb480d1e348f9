import OrderedJSON

// Effects that are data: on a host they are stored with the step that asks for them, and survive
// anything. In process, those that a single machine can do work too.

extension TransducerEffect where Machine.Event: Sendable {
    /// Has the handler called `name` work, and applies what it gives as an event
    /// (``BaseTransducer/effectResult(_:)``).
    ///
    /// In process, the handlers are those of ``RunOptions/handlers``.
    ///
    /// - Parameters:
    ///   - name: The handler.
    ///   - id: The effect's id, if any.
    ///   - policy: What happens when an effect with this id lives.
    ///   - queue: The queue it stands in; then the queue decides instead of `policy`.
    ///   - priority: Its rank in the queue.
    ///   - argument: What the handler gets, as JSON.
    ///   - then: The name of the event's case that the result becomes; `nil` when the result is
    ///     the event itself.
    ///   - retry: How often it is tried.
    ///   - timeout: How long one try may take; `nil` for what the handler says.
    ///   - undo: What undoes it once it is completed (``compensate(id:)``).
    public static func perform(
        _ name: String, id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, queue: (any EffectQueue)? = nil,
        priority: TaskPriority? = nil, argument: some Encodable & Sendable,
        then: String? = nil, retry: RetryPolicy = .standard, timeout: Duration? = nil,
        undo: EffectUndo? = nil
    ) -> TransducerEffect where Machine: SendableMetatype {
        let argument = DurableArgument(argument)
        let key = EffectKey(base: id.map { AnyKey($0) })
        return durable(
            DurableEffect(
                kind: .perform(name, argument), then: then, retry: retry, timeout: timeout,
                undo: undo),
            key: key, policy: policy, queue: queue, priority: priority
        ) { _, sink, context, _ in
            try await context.perform(
                name, argument: argument.value(), retry: retry, timeout: timeout
            ) { value in
                let result = EffectResult(
                    id: key.isNamed ? key : nil, then: then, value: value)
                guard let event = try Machine.effectResult(result) else { return }
                try await sink.sendAndWait(event)
            }
        }
    }

    /// Applies `event` after a while, by the machine's clock. Cancelled before, it isn't applied.
    /// On a host the time is kept as a moment: what is due while the host is down is applied when
    /// it starts.
    public static func after(
        _ duration: Duration, id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, _ event: Event
    ) -> TransducerEffect {
        durable(
            DurableEffect(kind: .after(duration, { event })),
            key: EffectKey(base: id.map { AnyKey($0) }), policy: policy
        ) { _, sink, context, _ in
            try await context.sleep(for: duration)
            try Task.checkCancellation()
            try sink.send(event)
        }
    }

    /// Sends `event` to another instance of the same host, which applies it exactly once. If that
    /// instance refuses it, the effect has failed. In process there is no other instance: it fails
    /// with ``TransducerError/needsHost(_:)``.
    ///
    /// - Parameters:
    ///   - event: The event, as that machine reads it.
    ///   - instance: `machine/instance`; made if it is absent.
    ///   - delay: How long to wait before.
    ///   - id: The effect's id, if any.
    ///   - policy: What happens when an effect with this id lives.
    public static func send(
        _ event: some Encodable & Sendable, to instance: String, after delay: Duration = .zero,
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace
    ) -> TransducerEffect {
        hosted(
            DurableEffect(
                kind: .send(to: instance, DurableArgument(event), after: delay), retry: .never),
            named: "send", id: id, policy: policy)
    }

    /// Starts an instance of another machine of the same host. It belongs to this one: it is
    /// stopped when the effect is cancelled or this machine ends, unless it is detached. Its
    /// result becomes an event, and a stop from outside is a failure. In process it fails with
    /// ``TransducerError/needsHost(_:)``.
    ///
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The effect's id, if any.
    ///   - policy: What happens when an effect with this id lives.
    ///   - instance: The name of the new instance; `nil` for this one's name up to its first `~`,
    ///     then `~` and a number that no other instance has.
    ///   - input: The first event that the new instance gets, if any.
    ///   - isDetached: Whether it lives on without this one.
    ///   - then: The name of the event's case that the result becomes; `nil` when the result is
    ///     the event itself.
    public static func start(
        _ machine: String, id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, instance: String? = nil,
        input: (some Encodable & Sendable)? = Optional<JSONValue>.none,
        isDetached: Bool = false, then: String? = nil
    ) -> TransducerEffect {
        hosted(
            DurableEffect(
                kind: .start(
                    machine: machine, instance: instance,
                    input: input.map { DurableArgument($0) }, isDetached: isDetached),
                then: then, retry: .never),
            named: "start", id: id, policy: policy)
    }

    /// Waits for an answer from outside: the holder of the effect's token completes it, once. In
    /// process it fails with ``TransducerError/needsHost(_:)``.
    ///
    /// - Parameters:
    ///   - id: The effect's id, if any.
    ///   - policy: What happens when an effect with this id lives.
    ///   - expires: How long the answer may take; then the effect has failed. `nil` for ever.
    ///   - then: The name of the event's case that the answer becomes; `nil` when the answer is
    ///     the event itself.
    public static func ask(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, expires: Duration? = nil, then: String? = nil
    ) -> TransducerEffect {
        hosted(
            DurableEffect(kind: .ask(expires: expires), then: then, retry: .never),
            named: "ask", id: id, policy: policy)
    }

    /// Undoes what has been completed and says how (``EffectUndo``), the last first, one after the
    /// other, each until it succeeds or is given up. In process it fails with
    /// ``TransducerError/needsHost(_:)``.
    ///
    /// - Parameter id: The effect's id, if any.
    public static func compensate(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none
    ) -> TransducerEffect {
        hosted(
            DurableEffect(kind: .compensate, retry: .never), named: "compensate", id: id,
            policy: .replace)
    }

    private static func hosted(
        _ effect: DurableEffect<Event>, named name: String, id: (some Hashable & Sendable)?,
        policy: EffectPolicy
    ) -> TransducerEffect {
        durable(effect, key: EffectKey(base: id.map { AnyKey($0) }), policy: policy) { _, _, _, _ in
            throw TransducerError.needsHost(name)
        }
    }

    private static func durable(
        _ effect: DurableEffect<Event>, key: EffectKey, policy: EffectPolicy,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil,
        body: @escaping EffectOperation<Event, Env>.Body
    ) -> TransducerEffect {
        TransducerEffect(
            .operation(
                EffectOperation(
                    key: key, policy: policy, queue: queue.map { QueueKey($0) },
                    priority: priority, durable: effect, body: body)))
    }
}
