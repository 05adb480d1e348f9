/// A transducer that says what a step does, in the one form that everything which runs machines
/// uses. ``Transducer`` and ``EffectTransducer`` bring `step` with them: machines are written
/// with `update`.
public protocol RunnableTransducer<Event>: BaseTransducer {
    /// Applies one event: changes `state` and returns the effect and the output of the step.
    ///
    /// - Throws: as `update`.
    static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output)

    /// The event that tells the machine of an effect that failed for good, or `nil`, the default,
    /// for none: the failure is then kept by what runs the machine (``RunReport``), and told
    /// to the sender whose event asked for the effect.
    static func effectFailed(_ failure: EffectFailure) -> Event?

    /// The effect of a machine whose closures are gone: on a host, when the process that ran
    /// them has ended and the machine is in memory again. `nil`, the default, for none. What is
    /// durable continues by itself and isn't asked for here.
    static func resume(_ state: State) -> TransducerEffect<Self>?
}

extension RunnableTransducer {
    /// No event.
    @inlinable
    public static func effectFailed(_ failure: EffectFailure) -> Event? { nil }

    /// No effect.
    @inlinable
    public static func resume(_ state: State) -> TransducerEffect<Self>? { nil }

    /// Applies one event, and nothing that comes of it: another word for `step`, for tests that
    /// look at one `update`.
    ///
    /// - Throws: as `update`.
    @inlinable
    public static func compute(
        _ state: inout State, event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        try step(&state, event)
    }
}
