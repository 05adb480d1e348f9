/// A pure finite-state transducer.
public protocol Transducer: RunnableTransducer where Effect == Never {
    associatedtype State
    associatedtype Event
    associatedtype Output
    associatedtype Effect = Never
    associatedtype Env = Void
    associatedtype Proxy = Transducers.Proxy<Event>

    /// Applies one event: changes `state` and returns the output of the step.
    ///
    /// Must be a function of its arguments alone: no clock, no randomness, no I/O.
    ///
    /// - Throws: ``Rejection`` to refuse an event that does not fit the state; the state is then
    ///   as it was, whatever was changed before the throw. Any other error fails the step alike.
    static func update(_ state: inout State, event: Event) throws -> Output
}

extension Transducer {
    /// `update`, without effect.
    @inlinable
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        (nil, try update(&state, event: event))
    }
}
