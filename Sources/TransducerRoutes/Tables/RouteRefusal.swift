/// Why a table or a machine did not take an event, or did not go where it was asked to.
///
/// A refusal is a normal answer: the state is as it was, and the refusal says what would do.
public struct RouteRefusal<State: StateType, Event: EventType>: Error, Equatable {
    /// Why.
    public enum Reason: Hashable, Sendable {
        /// No route and no mapping fits.
        case noRoute
        /// Routes fit, but their guards didn't pass: the names of those that have one, in the
        /// order in which they were asked.
        case guardRefused([String])
        /// Handlers kept raising events, more than this many for one attempt from outside.
        case tooManyEvents(Int)
    }

    /// The state it was refused in, which is as it was.
    public let fromState: State
    /// The event, or `nil` for a change that was asked for by its destination.
    public let event: Event?
    /// The destination that was asked for, or `nil` for an event.
    public let toState: State?
    /// Why.
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

    /// The same as what a transducer throws.
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
    /// One sentence: what was tried, why not, and what would do.
    public var description: String {
        accepts.isEmpty ? text : "\(text); accepted: \(accepts.joined(separator: ", "))"
    }
}
