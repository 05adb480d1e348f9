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

    /// Awaits the closure.
    func result(
        _ env: EffectEnv<Env>, _ actor: MachineActor
    ) async -> sending Result<[Event], any Error> {
        do {
            return .success(try await body(env, actor))
        } catch {
            return .failure(error)
        }
    }
}
