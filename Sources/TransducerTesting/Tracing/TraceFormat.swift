import Transducers

/// The amount and the form of a written trace, for people. The lines of a record are adjacent, and
/// records are in the order in which they took effect, because the trace is called on the machine's
/// actor.
public struct TraceFormat: Sendable, Equatable {
    /// The form of an event or an output.
    public enum Value: Sendable, Equatable {
        /// Its case and labels without the values, such as `add(amount:)`.
        case simple
        /// Its values down to a depth; `nil` for everything, on as many lines as needed.
        case all(depth: Int? = nil)
    }

    /// The form of a state.
    public enum State: Sendable, Equatable {
        /// The state before the event, on one line, with its own fields only.
        case simple
        /// The state before the event, down to a depth; `nil` for everything.
        case all(depth: Int? = nil)
        /// The change: old lines with `-`, new ones with `+`; or `(no diff)`.
        case diff
    }

    /// The prefix of the lines, in brackets; `nil` for none.
    public var name: String?
    /// The form of events; `nil` to leave them out.
    public var event: Value?
    /// The form of states; `nil` to leave them out.
    public var state: State?
    /// The form of outputs; `nil` to leave them out. `Void` and silent ones are always left out.
    public var output: Value?
    /// Whether starts and ends of effects are written.
    public var effects: Bool

    /// A format; by default with names of events, changes of states, outputs and effects.
    public init(
        name: String? = nil, event: Value? = .simple, state: State? = .diff,
        output: Value? = .all(), effects: Bool = true
    ) {
        self.name = name
        self.event = event
        self.state = state
        self.output = output
        self.effects = effects
    }
}
