// The forms in which Oak's users write actions within a machine.

extension EffectTransducer {
    /// Awaits `action` as part of the step and applies the events it gives: another word for
    /// `Effect(action:)`.
    public static func action(
        _ action: @escaping @Sendable @isolated(any) (Env) async throws -> sending [Event]
    ) -> TransducerEffect<Self> where Env: Sendable {
        TransducerEffect(action: action)
    }

    /// Awaits `action` as part of the step and applies the event it gives: another word for
    /// `Effect(action:)`.
    public static func action(
        _ action: @escaping @Sendable @isolated(any) (Env) async throws -> sending Event
    ) -> TransducerEffect<Self> where Env: Sendable {
        TransducerEffect(action: action)
    }

    /// Awaits `action` as part of the step, on the machine's own actor, and applies the events it
    /// gives: another word for `Effect(isolatedAction:)`.
    public static func action(
        isolatedAction action:
            @escaping @Sendable (Env, isolated any Actor) async throws -> sending [Event]
    ) -> TransducerEffect<Self> {
        TransducerEffect(isolatedAction: action)
    }

    /// Awaits `action` as part of the step, on the machine's own actor, and applies the event it
    /// gives: another word for `Effect(isolatedAction:)`.
    public static func action(
        isolatedAction action:
            @escaping @Sendable (Env, isolated any Actor) async throws -> sending Event
    ) -> TransducerEffect<Self> {
        TransducerEffect(isolatedAction: action)
    }
}
