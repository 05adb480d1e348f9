/// What every transducer is made of: a deterministic machine that turns (state, event) into
/// (state, output, effects).
///
/// Transducers are types without instances (caseless enums): all functions are static, and the
/// state is a value that whoever runs the machine holds. The same type runs in process and, once
/// `State`, `Event` and `Output` are `Codable & Sendable`, on a server (``Definition``).
public protocol BaseTransducer {
    /// What the machine remembers.
    associatedtype State: Terminable
    /// What comes in.
    associatedtype Event
    /// What comes out: one value a step. `Void` is no output.
    associatedtype Output = Void
    /// What a step asks the outside to do; `Never` for pure machines. Conforming types write it
    /// as `Self.Effect`.
    associatedtype Effect = Never
    /// What effects are given to work with.
    associatedtype Env = Void

    /// The output of a machine that has just been made (a Moore machine's first output), written
    /// as output of version 0. `nil`, the default, for none.
    static func initialOutput(initialState: State) -> Output?
}

extension BaseTransducer {
    /// No initial output.
    public static func initialOutput(initialState: State) -> Output? { nil }
}

/// A pure finite-state transducer.
public protocol Transducer: BaseTransducer where Effect == Never {
    /// Applies one event: changes `state` and returns the output of the step.
    ///
    /// Must be a function of its arguments alone: no clock, no randomness, no I/O.
    ///
    /// - Throws: ``Rejection`` to refuse an event that does not fit the state; the state is then
    ///   as it was, whatever was changed before the throw. Any other error fails the step alike.
    static func update(_ state: inout State, event: Event) throws -> Output
}

/// A transducer whose steps may also return an effect.
///
/// `update` returns either `Effect?` (then `Output` is `Void`) or `(Effect?, Output)`.
public protocol EffectTransducer: BaseTransducer where Effect == Transducers.Effect<Self> {
    /// `Effect?` or `(Effect?, Output)`.
    associatedtype TransducerOutput

    /// Applies one event: changes `state` and returns the effect, or the effect and the output.
    ///
    /// - Throws: as `Transducer.update`.
    static func update(_ state: inout State, event: Event) throws -> TransducerOutput
}

/// A transducer that can be given to a server: it says itself in which state it begins.
public protocol InitialState: BaseTransducer {
    /// The state of a new machine.
    static var initialState: State { get }
}

/// A refusal: the event does not fit the present state. Not a failure of the machine.
///
/// Thrown by `update`; the state stays as it was, nothing is recorded, and a client is answered
/// `EVENT_REJECTED` with the reason (protocol.md, "Events, states and outputs").
public struct Rejection: Error, Sendable, Equatable {
    /// Why, for people.
    public let reason: String

    /// The events that would do instead, by name; empty where the machine doesn't say.
    public let accepts: [String]

    /// A refusal with its reason and, if the machine knows, what would do.
    public init(_ reason: String, accepts: [String] = []) {
        self.reason = reason
        self.accepts = accepts
    }
}

/// An output that may mean nothing, such as a `none` case: a silent output is not written, not
/// numbered and not sent to anybody.
public protocol SilenceableOutput {
    /// Whether there is nothing to tell.
    var isSilent: Bool { get }
}

extension Optional: SilenceableOutput {
    /// `nil` is silent.
    public var isSilent: Bool {
        if case .none = self { true } else { false }
    }
}
