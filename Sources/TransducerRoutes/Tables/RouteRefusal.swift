/// The refusal of an event or a move by a table or a machine. It is a normal answer: the state is
/// unchanged, and the refusal lists the accepted events.
public struct RouteRefusal<State: StateType, Event: EventType>: Error, Equatable {
    /// The reason.
    public enum Reason: Hashable, Sendable {
        /// No route and no mapping matches.
        case noRoute
        /// Routes match, but their guards didn't pass: the names of those guards that have one, in
        /// order.
        case guardRefused([String])
        /// Handlers raised more than this many events for one attempt from outside.
        case tooManyEvents(Int)
    }

    /// The present state.
    public let fromState: State
    /// The event, or `nil` for a move.
    public let event: Event?
    /// The destination of a move, or `nil` for an event.
    public let toState: State?
    /// The reason.
    public let reason: Reason
    /// The names of the other events that have a route from this state, guarded or not, in the
    /// order of declaration (of `allCases` where the events are `CaseIterable`).
    public let accepts: [String]

    /// A refusal.
    public init(
        fromState: State, event: Event?, toState: State?, reason: Reason, accepts: [String]
    ) {
        self.fromState = fromState
        self.event = event
        self.toState = toState
        self.reason = reason
        self.accepts = accepts
    }

    /// The refusal as the error that a transducer throws.
    public var rejection: Rejection { Rejection(text, accepts: accepts) }

    private var text: String {
        let attempt =
            if let event {
                "\(RouteLabel.of(event)) in \(RouteLabel.of(fromState))"
            } else {
                "\(RouteLabel.of(fromState)) => \(toState.map { RouteLabel.of($0) } ?? "any")"
            }
        switch reason {
        case .noRoute: return "no route for \(attempt)"
        case .guardRefused(let names):
            let names = names.isEmpty ? "" : " by \(names.joined(separator: ", "))"
            return "\(attempt) was refused\(names)"
        case .tooManyEvents(let max):
            return "\(attempt) raised more than \(max) events; the state is as before"
        }
    }
}

extension RouteRefusal: CustomStringConvertible {
    /// One sentence: the attempt, the reason, and the accepted events.
    public var description: String {
        accepts.isEmpty ? text : "\(text); accepted: \(accepts.joined(separator: ", "))"
    }
}
