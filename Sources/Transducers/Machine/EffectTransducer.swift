/// A transducer whose steps may also return an effect.
///
/// `update` returns either `Effect?` (then `Output` is `Void`) or `(Effect?, Output)`; a type
/// with another result doesn't conform.
public protocol EffectTransducer: RunnableTransducer where Effect == TransducerEffect<Self> {
    associatedtype State
    associatedtype Event
    associatedtype Output = Void
    associatedtype Env = Void
    associatedtype Proxy = Transducers.Proxy<Event>
    /// `Effect?` or `(Effect?, Output)`.
    associatedtype TransducerOutput

    /// Applies one event: changes `state` and returns the effect, or the effect and the output.
    ///
    /// - Throws: as `Transducer.update`.
    static func update(_ state: inout State, event: Event) throws -> TransducerOutput
}

extension EffectTransducer
where TransducerOutput == TransducerEffect<Self>?, Output == Void {
    /// `update`, without output.
    @inlinable
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        (try update(&state, event: event), ())
    }
}

extension EffectTransducer where TransducerOutput == (TransducerEffect<Self>?, Output) {
    /// `update`.
    @inlinable
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        try update(&state, event: event)
    }
}
