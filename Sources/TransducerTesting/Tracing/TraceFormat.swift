import Transducers

/// How much of what a machine does is written, and how: for looking at it, not for machines to
/// read. The lines of a record stand together, and records come in the order in which they took
/// effect, since the trace is told on the machine's actor.
public struct TraceFormat: Sendable, Equatable {
    /// How an event or an output is written.
    public enum Value: Sendable, Equatable {
        /// By its case and labels without the values, such as `add(amount:)`.
        case simple
        /// With its values down to a depth; `nil` for everything, on as many lines as it takes.
        case all(depth: Int? = nil)
    }

    /// How a state is written.
    public enum State: Sendable, Equatable {
        /// The state before the event, on one line, with its own fields only.
        case simple
        /// The state before the event, down to a depth; `nil` for everything.
        case all(depth: Int? = nil)
        /// What the event changed: old lines with `-`, new ones with `+`; or `(no diff)`.
        case diff
    }

    /// What lines begin with, in brackets; `nil` for nothing.
    public var name: String?
    /// How events are written; `nil` for not at all.
    public var event: Value?
    /// How states are written; `nil` for not at all.
    public var state: State?
    /// How outputs are written; `nil` for not at all. `Void` and silent ones aren't ever.
    public var output: Value?
    /// Whether effects are written: when they begin and how they end.
    public var effects: Bool

    /// By default everything: names of events, changes of states, outputs and effects.
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
