/// Work beside the machine; it may send events.
@usableFromInline
final class EffectOperation<Event, Env>: Sendable {
    /// Gets the environment, the sink of events, the context, and the machine's actor.
    @usableFromInline
    typealias Body =
        @Sendable (
            EffectEnv<Env>, any EventSink<Event>, EffectContext, MachineActor
        ) async throws -> Void

    @usableFromInline let key: EffectKey
    @usableFromInline let policy: EffectPolicy
    @usableFromInline let queue: QueueKey?
    @usableFromInline let priority: TaskPriority?
    /// The work as data, if it has this form: a server stores it instead of the closure.
    @usableFromInline let durable: DurableEffect<Event>?
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
