/// What a step asks for, as a value. Nothing happens until the step that returned it has been
/// accepted; then it is carried out in list order.
///
/// Machines name it by their associated type: `Effect`.
///
/// - **Immediate events** (``event(_:)``, ``events(_:)``) are applied within the step.
/// - **Actions** (`init(action:)`, `init(isolatedAction:)`) are awaited as part of the step and
///   give events, which are applied before any other event.
/// - **Operations** (`init(id:operation:)` and its likes, ``run(id:policy:queue:priority:_:)``,
///   ``stream(id:policy:queue:priority:_:)``) go on beside the machine and send it events.
/// - ``cancel(_:)`` and its likes end operations, ``updateQueue(_:)`` changes a queue.
/// - ``sequence(_:)-([TransducerEffect<Machine>])`` and
///   ``parallel(_:)-([TransducerEffect<Machine>])`` put effects together.
///
/// An operation or action that throws affects nothing else: the machine gets an event, if it wants
/// one (``RunnableTransducer/effectFailed(_:)``). A `CancellationError` is no failure.
public struct TransducerEffect<Machine: BaseTransducer> {
    /// The machine's events.
    public typealias Event = Machine.Event
    /// What the closures are given to work with.
    public typealias Env = Machine.Env
    /// What the closures send events to.
    public typealias Input = Machine.Proxy.Input

    @usableFromInline let node: EffectNode<Event, Env>

    @inlinable
    init(_ node: EffectNode<Event, Env>) { self.node = node }
}

// Closures in it are sendable; an environment is only handed through it.
extension TransducerEffect: Sendable where Machine.Event: Sendable {}

extension TransducerEffect {
    /// No effect.
    @inlinable
    public static var empty: TransducerEffect { TransducerEffect(.all([])) }

    /// Applies `event` within the same step, before any other event from outside.
    @inlinable
    public static func event(_ event: Event) -> TransducerEffect {
        TransducerEffect(.event(event))
    }

    /// Applies `events` within the same step, in order and depth-first: what the first one causes
    /// is applied before the second.
    @inlinable
    public static func events(_ events: [Event]) -> TransducerEffect {
        TransducerEffect(.events(events))
    }

    /// The effects one after the other: each begins when the work of the one before has ended,
    /// and what it sent has been applied. One that fails or is cancelled ends the sequence.
    public static func sequence(_ effects: TransducerEffect...) -> TransducerEffect {
        sequence(effects)
    }

    /// The effects one after the other: each begins when the work of the one before has ended,
    /// and what it sent has been applied. One that fails or is cancelled ends the sequence.
    public static func sequence(_ effects: [TransducerEffect]) -> TransducerEffect {
        TransducerEffect(.sequence(effects.map(\.node)))
    }

    /// The effects at once, begun in this order.
    public static func parallel(_ effects: TransducerEffect...) -> TransducerEffect {
        parallel(effects)
    }

    /// The effects at once, begun in this order.
    public static func parallel(_ effects: [TransducerEffect]) -> TransducerEffect {
        TransducerEffect(.all(effects.map(\.node)))
    }

    /// The effects at once, begun in this order: another word for `parallel`.
    public static func combine(_ effects: TransducerEffect...) -> TransducerEffect {
        parallel(effects)
    }

    /// Both, begun in this order.
    public static func + (left: TransducerEffect, right: TransducerEffect) -> TransducerEffect {
        parallel(left, right)
    }
}

// MARK: - Cancelling and queues

extension TransducerEffect {
    /// Cancels the effects that are meant, and the tracked sends. What they still report doesn't
    /// count; those that wait run no code. None is fine too.
    public static func cancel(_ selector: EffectSelector) -> TransducerEffect {
        TransducerEffect(.cancel(selector))
    }

    /// Cancels the effects, and the tracked sends, with this id; none for `nil`.
    public static func cancel(id: (some Hashable & Sendable)?) -> TransducerEffect {
        id.map { cancel(.id($0)) } ?? .empty
    }

    /// Cancels the effects whose id, as text, begins like this.
    public static func cancel(prefix: String) -> TransducerEffect { cancel(.prefix(prefix)) }

    /// Cancels the effects that have an id for which `isIncluded` holds.
    public static func cancel(
        ids isIncluded: @escaping @Sendable (any Hashable & Sendable) -> Bool
    ) -> TransducerEffect {
        cancel(.matching(isIncluded))
    }

    /// Cancels all effects, also those without id and those that wait.
    public static var cancelAll: TransducerEffect { cancel(.all) }

    /// Cancels the effects with this id: another word for ``cancel(id:)``.
    public static func cancelTask(_ id: (some Hashable & Sendable)?) -> TransducerEffect {
        cancel(id: id)
    }

    /// Makes a queue's new policy and delay known now, not with the next effect. More room
    /// starts waiting effects; less lets running ones be.
    public static func updateQueue(_ queue: some EffectQueue) -> TransducerEffect {
        TransducerEffect(.updateQueue(QueueKey(queue)))
    }
}
