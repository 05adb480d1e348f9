extension TransducerEffect {
    // A trailing closure of one parameter could be work beside the machine as well, which is what
    // it mostly is meant to be: disfavoured, so that an action has to be asked for by its label.

    /// Awaits `action` as part of the step and applies the events it gives, before any other
    /// event. The machine takes no event meanwhile; what its step has changed until then is
    /// visible. The closure runs on its own actor, if it names one.
    @_disfavoredOverload
    public init(
        action: @escaping @Sendable @isolated(any) (Env) async throws -> sending [Event]
    ) where Env: Sendable {
        self.init(.action(EffectAction { env, _ in try await action(env.get()) }))
    }

    /// Awaits `action` as part of the step and applies the event it gives.
    @_disfavoredOverload
    public init(
        action: @escaping @Sendable @isolated(any) (Env) async throws -> sending Event
    ) where Env: Sendable {
        self.init(.action(EffectAction { env, _ in [try await action(env.get())] }))
    }

    // A trailing closure of two parameters that returns nothing could be an isolated action that
    // forgets to return as well as an operation: disfavoured, so that it is the latter.

    /// Awaits `action` as part of the step, on the machine's own actor, and applies the events
    /// it gives. So the environment need not be sendable.
    @_disfavoredOverload
    public init(
        isolatedAction action:
            @escaping @Sendable (Env, isolated any Actor) async throws -> sending [Event]
    ) {
        self.init(
            .action(
                EffectAction { env, actor in
                    try await action(env.forMachineActor(), actor.get())
                }))
    }

    /// Awaits `action` as part of the step, on the machine's own actor, and applies the event it
    /// gives. So the environment need not be sendable.
    @_disfavoredOverload
    public init(
        isolatedAction action:
            @escaping @Sendable (Env, isolated any Actor) async throws -> sending Event
    ) {
        self.init(
            .action(
                EffectAction { env, actor in
                    [try await action(env.forMachineActor(), actor.get())]
                }))
    }
}
