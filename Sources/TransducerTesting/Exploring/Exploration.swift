import Transducers

/// The complete behavior of a finite machine: its reachable states, the events that lead there, and
/// the dead ends. Made by `explore`.
///
/// All lists are in the order of the walk: breadth first from the initial state, and in each state
/// the events in the given order. So all walks of a machine are alike.
public struct Exploration<Machine: RunnableTransducer> where Machine.State: Hashable {
    /// An event that a state accepts, with all the immediate events it causes.
    public struct Transition {
        /// The state before.
        public let from: Machine.State
        /// The event.
        public let event: Machine.Event
        /// The state after.
        public let to: Machine.State
        /// The outputs, including those of immediate events.
        public let outputs: [Machine.Output]
    }

    /// An event that a state doesn't handle.
    public struct Unhandled {
        /// The state.
        public let state: Machine.State
        /// The event.
        public let event: Machine.Event
        /// The reason: the thrown error, or that the predicate holds.
        public let reason: String
        /// Whether it was refused by a `Rejection`, and not by another error.
        public let isRejection: Bool
    }

    /// The state in which the walk began.
    public let initialState: Machine.State
    /// The states that can be reached, the initial one first.
    public internal(set) var reachable: [Machine.State]
    /// The transitions.
    public internal(set) var transitions: [Transition] = []
    /// The events that are refused, fail, or are unhandled by the predicate.
    public internal(set) var unhandled: [Unhandled] = []
    /// The reachable states that are final.
    public internal(set) var terminal: [Machine.State] = []
    /// The reachable states that aren't final and can't be left.
    public internal(set) var deadEnds: [Machine.State] = []
    /// The given states that can't be reached.
    public internal(set) var unreachable: [Machine.State] = []

    /// The state before and the event that reached each state first.
    var origins: [Machine.State: (from: Machine.State, event: Machine.Event)] = [:]

    init(initialState: Machine.State) {
        self.initialState = initialState
        self.reachable = [initialState]
    }

    /// The shortest list of events that lead to a state; of several, the one found first. Empty for
    /// the initial state, `nil` for one that can't be reached.
    public func shortestPath(to state: Machine.State) -> [Machine.Event]? {
        var path: [Machine.Event] = []
        var place = state
        while place != initialState {
            guard let origin = origins[place] else { return nil }
            path.append(origin.event)
            place = origin.from
        }
        return path.reversed()
    }
}
