import Transducers

/// Everything that a finite machine can do: which states it reaches, by which events, and where
/// it gets stuck. Made by `explore`.
///
/// All lists are in the order of the walk: breadth first from the initial state, in each state
/// the events in the order in which they were given. So two walks of a machine are alike.
public struct Exploration<Machine: RunnableTransducer> where Machine.State: Hashable {
    /// An event that a state takes, with all the immediate events it causes.
    public struct Transition {
        /// The state before.
        public let from: Machine.State
        /// The event.
        public let event: Machine.Event
        /// The state after.
        public let to: Machine.State
        /// The outputs, of the immediate events too.
        public let outputs: [Machine.Output]
    }

    /// An event that nobody handles in a state.
    public struct Unhandled {
        /// The state.
        public let state: Machine.State
        /// The event.
        public let event: Machine.Event
        /// Why: what was thrown, or that the predicate holds.
        public let reason: String
        /// Whether it was refused by a `Rejection`, as opposed to an error nobody meant.
        public let isRejection: Bool
    }

    /// Where the walk began.
    public let initialState: Machine.State
    /// The states that can be reached, the initial one first.
    public internal(set) var reachable: [Machine.State]
    /// What leads from where to where.
    public internal(set) var transitions: [Transition] = []
    /// The events that are refused, or fail, or are said to be unhandled.
    public internal(set) var unhandled: [Unhandled] = []
    /// The reachable states that are final.
    public internal(set) var terminal: [Machine.State] = []
    /// The reachable states that aren't final and that no event leaves.
    public internal(set) var deadEnds: [Machine.State] = []
    /// Those of the given states that can't be reached.
    public internal(set) var unreachable: [Machine.State] = []

    /// How each state was reached first: the state before and the event.
    var origins: [Machine.State: (from: Machine.State, event: Machine.Event)] = [:]

    init(initialState: Machine.State) {
        self.initialState = initialState
        self.reachable = [initialState]
    }

    /// The fewest events that lead to a state; of several such ways the one found first. Empty
    /// for the initial state, `nil` for one that can't be reached.
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
