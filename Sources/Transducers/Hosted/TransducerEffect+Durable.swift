import OrderedJSON

// Effects that are data: a server stores them with the step that asks for them, and they survive a
// crash. In process, those that need no other instance work, too.

extension TransducerEffect where Machine.Event: Sendable {
    /// Calls the handler `name`, and applies its result as an event
    /// (``BaseTransducer/effectResult(_:)``).
    ///
    /// In process, the handlers are those of ``RunOptions/handlers``.
    ///
    /// - Parameters:
    ///   - name: The handler.
    ///   - id: The effect's id, if any.
    ///   - policy: The rule for a live effect with this id.
    ///   - queue: The queue of the effect; then the queue decides instead of `policy`.
    ///   - priority: The rank in the queue.
    ///   - argument: The handler's argument, stored as JSON.
    ///   - then: The event's case that the result becomes; `nil` if the result is the event itself.
    ///   - retry: The attempts and the pauses between them.
    ///   - timeout: The time limit of an attempt; `nil` for the handler's own.
    ///   - undo: The call that undoes it after it is completed (``compensate(id:)``).
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
                work: .perform(handler: name, argument: argument), then: then, retry: retry,
                timeout: timeout,
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

    /// Applies `event` after a time, by the machine's clock, unless it is canceled before. A server
    /// stores the due time: an event that is due while the server is down is applied at its
    /// start.
    public static func after(
        _ duration: Duration, id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, _ event: Event
    ) -> TransducerEffect {
        durable(
            DurableEffect(
                work: .after(milliseconds: HostedRun.storable(duration), event: { event })),
            key: EffectKey(base: id.map { AnyKey($0) }), policy: policy
        ) { _, sink, context, _ in
            try await context.sleep(for: duration)
            try Task.checkCancellation()
            try sink.send(event)
        }
    }

    /// Sends `event` to another instance of the same server, which applies it exactly once. If that
    /// instance refuses it, the effect has failed. In process there is no other instance: it fails
    /// with ``TransducerError/needsHost(_:)``.
    ///
    /// - Parameters:
    ///   - event: The event, as that machine decodes it.
    ///   - instance: `machine/instance`; created if it is absent.
    ///   - delay: The time to wait before.
    ///   - id: The effect's id, if any.
    ///   - policy: The rule for a live effect with this id.
    public static func send(
        _ event: some Encodable & Sendable, to instance: String, after delay: Duration = .zero,
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace
    ) -> TransducerEffect {
        hosted(
            DurableEffect(
                work: .send(
                    to: instance, event: DurableArgument(event),
                    milliseconds: HostedRun.storable(delay)),
                retry: .never),
            named: "send", id: id, policy: policy)
    }

    /// Starts an instance of another machine of the same server. It is stopped when the effect is
    /// canceled or this machine ends, unless it is detached. Its result becomes an event, and a
    /// stop by a client is a failure. In process it fails with ``TransducerError/needsHost(_:)``.
    ///
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The effect's id, if any.
    ///   - policy: The rule for a live effect with this id.
    ///   - instance: The name of the new instance; `nil` for this one's name up to its first `~`,
    ///     then `~` and a number that no other instance has.
    ///   - input: The first event of the new instance, if any.
    ///   - isDetached: Whether it lives on without this one.
    ///   - then: The event's case that the result becomes; `nil` if the result is the event itself.
    public static func start(
        _ machine: String, id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, instance: String? = nil,
        input: (some Encodable & Sendable)? = Optional<JSONValue>.none,
        isDetached: Bool = false, then: String? = nil
    ) -> TransducerEffect {
        hosted(
            DurableEffect(
                work: .start(
                    machine: machine, instance: instance,
                    input: input.map { DurableArgument($0) }, detached: isDetached),
                then: then, retry: .never),
            named: "start", id: id, policy: policy)
    }

    /// Waits for an answer from outside: a client with the effect's token completes it, once. In
    /// process it fails with ``TransducerError/needsHost(_:)``.
    ///
    /// - Parameters:
    ///   - id: The effect's id, if any.
    ///   - policy: The rule for a live effect with this id.
    ///   - expires: The time after which the effect has failed; `nil` for none.
    ///   - then: The event's case that the answer becomes; `nil` if the answer is the event itself.
    public static func ask(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none,
        policy: EffectPolicy = .replace, expires: Duration? = nil, then: String? = nil
    ) -> TransducerEffect {
        hosted(
            DurableEffect(
                work: .ask(milliseconds: expires.map { HostedRun.storable($0) }), then: then,
                retry: .never),
            named: "ask", id: id, policy: policy)
    }

    /// Undoes the completed effects that have an ``EffectUndo``, the last one first, one after the
    /// other, each until it succeeds or has failed. In process it fails with
    /// ``TransducerError/needsHost(_:)``.
    ///
    /// - Parameter id: The effect's id, if any.
    public static func compensate(
        id: (some Hashable & Sendable)? = Optional<EffectRunID>.none
    ) -> TransducerEffect {
        hosted(
            DurableEffect(work: .compensate, retry: .never), named: "compensate", id: id,
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
