/// An effect as a tree of what is to be done, without the machine's type.
@usableFromInline
enum EffectNode<Event, Env> {
    /// Applies an event within the step.
    case event(Event)
    /// Applies events within the step, in order and depth-first.
    case events([Event])
    /// Awaits a closure that gives events; the machine takes no other event meanwhile.
    case action(EffectAction<Event, Env>)
    /// Starts work that goes on beside the machine.
    case operation(EffectOperation<Event, Env>)
    /// Cancels what is meant.
    case cancel(EffectSelector)
    /// Makes a queue's new policy known.
    case updateQueue(QueueKey)
    /// One after the other: each begins when the work of the one before has ended well.
    case sequence([EffectNode])
    /// All, begun in order.
    case all([EffectNode])

    /// Whether nothing is to be done.
    @usableFromInline var isEmpty: Bool {
        switch self {
        // No key path: of a generic type, it would be made anew for each call.
        case .all(let nodes), .sequence(let nodes): nodes.allSatisfy { $0.isEmpty }
        case .events(let events): events.isEmpty
        default: false
        }
    }
}

extension EffectNode: Sendable where Event: Sendable {}

/// A closure that is awaited as a part of the machine's step.
@usableFromInline
final class EffectAction<Event, Env>: Sendable {
    /// Gets the environment and the machine's actor.
    @usableFromInline
    typealias Body = @Sendable (EffectEnv<Env>, MachineActor) async throws -> sending [Event]

    let key: EffectKey
    let body: Body

    init(key: EffectKey = EffectKey(base: nil), body: @escaping Body) {
        self.key = key
        self.body = body
    }
}

/// Work that goes on beside the machine and may send it events.
@usableFromInline
final class EffectOperation<Event, Env>: Sendable {
    /// Gets the environment, where to send events, the context, and the machine's actor.
    @usableFromInline
    typealias Body =
        @Sendable (
            EffectEnv<Env>, any EventSink<Event>, EffectContext, MachineActor
        ) async throws -> Void

    let key: EffectKey
    let policy: EffectPolicy
    let queue: QueueKey?
    let priority: TaskPriority?
    /// The work as data, where it can be said so: what a host stores instead of the closure.
    let durable: DurableEffect<Event>?
    let body: Body

    init(
        key: EffectKey, policy: EffectPolicy, queue: QueueKey?, priority: TaskPriority?,
        durable: DurableEffect<Event>? = nil, body: @escaping Body
    ) {
        self.key = key
        self.policy = policy
        self.queue = queue
        self.priority = priority
        self.durable = durable
        self.body = body
    }
}

/// The actor a machine runs on. Held weakly, so that effects don't keep a host alive that nobody
/// else holds; dropping it cancels them.
@usableFromInline
struct MachineActor: Sendable {
    private weak let actor: (any Actor)?

    init(_ actor: any Actor) { self.actor = actor }

    /// The actor, if it is still there.
    ///
    /// - Throws: `CancellationError`, when it isn't: then neither is the machine.
    func get() throws -> any Actor {
        guard let actor else { throw CancellationError() }
        return actor
    }
}

/// What the closures of effects are given besides the environment.
public struct EffectContext: Sendable {
    /// The clock to wait by: the one the machine was started with, so that tests can advance
    /// time at will.
    public let clock: any Clock<Duration>

    /// The number of this run of the effect.
    public let run: EffectRunID

    /// The handlers that effects may have work.
    let handlers: EffectHandlers

    /// Where the random part of pauses between tries begins.
    let seed: UInt64

    /// Where the tasks of its handlers run; `nil` for anywhere.
    var executor: (any TaskExecutor)?

    /// Waits for `duration` by ``clock``.
    ///
    /// - Throws: `CancellationError` when the effect is cancelled meanwhile.
    public func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, tolerance: nil)
    }
}
