import OrderedJSON

/// The types of a transducer: a deterministic machine that turns (state, event) into
/// (state, output, effects).
///
/// Transducers are types without instances (caseless enums): all functions are static, and the
/// state is a value of the machine's runner. The same type runs in process and, if `State`, `Event`
/// and `Output` are `Codable & Sendable`, on a server (``Definition``).
///
/// `BaseTransducer` alone is a set of types, for machines that are composed of others.
/// ``Transducer`` and ``EffectTransducer`` add `update`.
public protocol BaseTransducer<Event> {
    /// The machine's state.
    associatedtype State: Terminable
    /// The machine's input.
    associatedtype Event
    /// The output, one value per step. `Void` is no output.
    associatedtype Output
    /// The work of a step for the outside; `Never` for pure machines.
    associatedtype Effect
    /// The environment of effects.
    associatedtype Env
    /// The proxy of senders: ``Transducers/Proxy``, or ``SyncSuspendingProxy``.
    associatedtype Proxy: TransducerProxy<Event> = Transducers.Proxy<Event>

    /// The handle of effects and others that may only send.
    typealias Input = Proxy.Input

    /// The output of a new machine (a Moore machine's first output), written as output of version
    /// 0. `nil`, the default, for none.
    static func initialOutput(initialState: State) -> Output?

    /// The event for an effect's result (`perform`, `ask`, `start`), or `nil` for none. By default
    /// the one that the effect names with `then`, or the result itself (``EffectResult``).
    ///
    /// - Throws: An error when the result is no event; then the effect has failed.
    static func effectResult(_ result: EffectResult) throws -> Event?

    /// The events that only the machine's own effects may send, and the parent as the first event
    /// of a child: the names of their cases on the wire. A host refuses them from clients and other
    /// machines with `INTERNAL_EVENT`. None by default; in process none is refused.
    ///
    /// ```swift
    /// static let internalEvents = ["paid", "lapse"]
    /// ```
    static var internalEvents: [String] { get }

    /// The name of an event that only effects may send, beyond ``internalEvents``: that of an event
    /// of a part which is internal there, such as `first.paid`. `nil` for all others. The
    /// compositions ask their parts; a machine that has parts otherwise asks each ``Child``.
    static func internalName(of event: Event) -> String?

    /// Migrates a stored state of an earlier version of the definition to this version's form.
    /// Called each time such a state is read, until the instance's next step stores it in the new
    /// form. By default the state doesn't change.
    ///
    /// A new member needs no migration: if a stored state lacks it, and has no unknown member, it
    /// is read from the initial state. An absent optional stays `nil`. A state with an unknown
    /// member that may be a missing one, or the value of an absent optional, is refused: rename or
    /// remove that member here.
    ///
    /// - Parameters:
    ///   - state: The state as it was stored.
    ///   - version: The version of the definition that made the instance's last step.
    /// - Throws: An error for a state that can't be migrated. The instance then refuses events with
    ///   `EVAL_ERROR` and doesn't change.
    static func migrate(state: JSONValue, from version: String) throws -> JSONValue

    /// Migrates a stored event that can't be read any more, such as a timer's, to a readable form.
    /// By default the event doesn't change; then the effect fails.
    ///
    /// - Throws: An error for an event that can't be migrated.
    static func migrate(event: JSONValue) throws -> JSONValue
}

extension BaseTransducer {
    /// No events.
    @inlinable
    public static var internalEvents: [String] { [] }

    /// None.
    @inlinable
    public static func internalName(of event: Event) -> String? { nil }

    /// The name of an event that only effects may send: that of its case, or that of the part's
    /// event. It comes from the event as the machine encodes it, so that another spelling doesn't
    /// evade the check.
    @usableFromInline
    static func refusedName(of event: Event) -> String? {
        let names = internalEvents
        if !names.isEmpty, let name = CaseName.read(encoding: event), names.contains(name) {
            return name
        }
        return internalName(of: event)
    }

    /// The same state.
    public static func migrate(state: JSONValue, from version: String) throws -> JSONValue { state }

    /// The same event.
    public static func migrate(event: JSONValue) throws -> JSONValue { event }

    /// No initial output.
    @inlinable
    public static func initialOutput(initialState: State) -> Output? { nil }

    /// The event that the effect names, or the result itself. None for an effect of an inner
    /// machine.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        try result.ownEvent(as: Event.self)
    }
}
