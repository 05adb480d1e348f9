import OrderedJSON

/// What every transducer is made of: the types of a deterministic machine that turns
/// (state, event) into (state, output, effects).
///
/// Transducers are types without instances (caseless enums): all functions are static, and the
/// state is a value that the runner of the machine holds. The same type runs in process and, once
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
