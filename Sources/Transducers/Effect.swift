/// Work that a step asks for, as a value. Nothing happens until the step that returned it has
/// been accepted.
///
/// Effects of a step are carried out in list order. This version knows immediate events; further
/// kinds become further cases of ``Kind`` and leave these as they are.
public struct Effect<Machine: BaseTransducer> {
    /// One thing to do.
    public enum Kind {
        /// Applies an event to the machine within the same step, before any other event from
        /// outside, and before the effects that follow in the list.
        case event(Machine.Event)
    }

    /// What to do, in order.
    public let kinds: [Kind]

    /// An effect of several things, done in order.
    public init(_ kinds: [Kind]) { self.kinds = kinds }

    /// Applies `event` within the same step.
    public static func event(_ event: Machine.Event) -> Effect { Effect([.event(event)]) }

    /// Applies `events` within the same step, in order and depth-first: what the first one causes
    /// is applied before the second.
    public static func events(_ events: [Machine.Event]) -> Effect {
        Effect(events.map(Kind.event))
    }

    /// The effects one after the other.
    public static func sequence(_ effects: Effect...) -> Effect {
        Effect(effects.flatMap(\.kinds))
    }
}

extension Effect: Sendable where Machine.Event: Sendable {}
extension Effect.Kind: Sendable where Machine.Event: Sendable {}
