/// A transducer with a step, in the form that all runners use. ``Transducer`` and
/// ``EffectTransducer`` implement `step` by `update`.
public protocol RunnableTransducer<Event>: BaseTransducer {
    /// Applies one event: changes `state` and returns the effect and the output of the step.
    ///
    /// - Throws: As `update`.
    static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output)

    /// The event for an effect that failed permanently, or `nil`, the default, for none: the
    /// failure is then in the ``RunReport``, and reported to the sender whose event caused the
    /// effect.
    static func effectFailed(_ failure: EffectFailure) -> Event?

    /// The effect of a machine whose closures were lost: on a host, when the process that ran them
    /// has ended and the machine is in memory again. `nil`, the default, for none. Durable effects
    /// continue without it.
    static func resume(_ state: State) -> TransducerEffect<Self>?
}

extension RunnableTransducer {
    /// No event.
    @inlinable
    public static func effectFailed(_ failure: EffectFailure) -> Event? { nil }

    /// No effect.
    @inlinable
    public static func resume(_ state: State) -> TransducerEffect<Self>? { nil }

    /// Applies one event without its effects: another name for `step`, for tests of one `update`.
    ///
    /// - Throws: As `update`.
    @inlinable
    public static func compute(
        _ state: inout State, event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        try step(&state, event)
    }
}
