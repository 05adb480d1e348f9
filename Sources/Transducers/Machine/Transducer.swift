public import OrderedJSON

/// What every transducer is made of: the types of a deterministic machine that turns
/// (state, event) into (state, output, effects).
///
/// Transducers are types without instances (caseless enums): all functions are static, and the
/// state is a value that whoever runs the machine holds. The same type runs in process and, once
/// `State`, `Event` and `Output` are `Codable & Sendable`, on a server (``Definition``).
///
/// `BaseTransducer` alone is a set of types, for machines that are put together of others.
/// ``Transducer`` and ``EffectTransducer`` add `update`.
public protocol BaseTransducer<Event> {
    /// What the machine remembers.
    associatedtype State: Terminable
    /// What comes in.
    associatedtype Event
    /// What comes out: one value a step. `Void` is no output.
    associatedtype Output
    /// What a step asks the outside to do; `Never` for pure machines.
    associatedtype Effect
    /// What effects are given to work with.
    associatedtype Env
    /// What senders hold: ``Transducers/Proxy``, or ``SyncSuspendingProxy``.
    associatedtype Proxy: TransducerProxy<Event> = Transducers.Proxy<Event>

    /// What effects, and others that may only send, hold.
    typealias Input = Proxy.Input

    /// The output of a machine that has just been made (a Moore machine's first output), written
    /// as output of version 0. `nil`, the default, for none.
    static func initialOutput(initialState: State) -> Output?

    /// The event that an effect's result becomes (`perform`, `ask`, `start`), or `nil` for none.
    /// By default the one that the effect names with `then`, or that the result itself is
    /// (``EffectResult``).
    ///
    /// - Throws: When the result is no event; then the effect has failed.
    static func effectResult(_ result: EffectResult) throws -> Event?

    /// The events that only the machine's own effects may send, and as the first event of a child
    /// its parent: the names of their cases as they stand on the wire. A host refuses them from
    /// clients and from other machines with `INTERNAL_EVENT`. None by default; in process nobody is
    /// refused.
    ///
    /// ```swift
    /// static let internalEvents = ["paid", "lapse"]
    /// ```
    static var internalEvents: [String] { get }

    /// A stored state of an earlier version of the definition, as this version's `State` is read
    /// from. Asked for each time such a state is read, until the instance's next step stores it
    /// in the new form. By default the state as it is.
    ///
    /// A new member needs no migration: where a stored state lacks it, and has no member that
    /// `State` doesn't know, it is taken from the initial state.
    ///
    /// - Parameters:
    ///   - state: The state as it was stored.
    ///   - version: The version of the definition that took the instance's last step.
    /// - Throws: For a state that can't be migrated. The instance then refuses events with
    ///   `EVAL_ERROR` and stays as it is.
    static func migrate(state: JSONValue, from version: String) throws -> JSONValue

    /// A stored event that can't be read any more, such as one that a timer holds, in a form that
    /// can be. By default the event as it is; then the effect fails.
    ///
    /// - Throws: For an event that can't be migrated.
    static func migrate(event: JSONValue) throws -> JSONValue
}

extension BaseTransducer {
    /// None.
    @inlinable
    public static var internalEvents: [String] { [] }

    /// The state as it is.
    public static func migrate(state: JSONValue, from version: String) throws -> JSONValue { state }

    /// The event as it is.
    public static func migrate(event: JSONValue) throws -> JSONValue { event }

    /// No initial output.
    @inlinable
    public static func initialOutput(initialState: State) -> Output? { nil }

    /// The event that the effect names, or that the result is. None for an effect of an inner
    /// machine.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        try result.ownEvent(as: Event.self)
    }
}

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
    /// for none: the failure is then kept by whoever runs the machine (``RunReport``), and told
    /// to the sender whose event asked for the effect.
    static func effectFailed(_ failure: EffectFailure) -> Event?

    /// The effect of a machine whose closures are gone: on a host, when the process that ran
    /// them has ended and the machine is in memory again. `nil`, the default, for none. What is
    /// durable goes on by itself and isn't asked for here.
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

/// A transducer that can be given to a server: it says itself in which state it begins.
public protocol InitialState: BaseTransducer {
    /// The state of a new machine.
    static var initialState: State { get }
}
