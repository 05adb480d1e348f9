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
