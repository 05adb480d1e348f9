/// One arrow of a table as data, for diagrams, lists and analyses.
public struct RouteEdge<State: StateType, Event: EventType>: Hashable, Sendable {
    /// The cause of the transition.
    public enum Trigger: Hashable, Sendable {
        /// An event, or any.
        case event(EventPattern<Event>)
        /// Asking for the destination.
        case move
    }

    /// The destination.
    public enum Destination: Hashable, Sendable {
        /// To a state.
        case state(State)
        /// To the present state.
        case stay
        /// To any destination that is asked for.
        case anywhere
        /// To a state that a closure computes.
        case computed
    }

    /// The declaration that it comes from.
    public enum Origin: Hashable, Sendable {
        /// A route, by its number in the order of declaration.
        case route(Int)
        /// A request, by its name.
        case request(String)
        /// A route mapping, by its name.
        case mapping(String)
        /// A state mapping, by its name.
        case stateMapping(String)
        /// A nested region, by its name.
        case region(String)
    }

    /// The cause of the transition.
    public let trigger: Trigger
    /// The state before.
    public let fromState: StatePattern<State>
    /// The region that it leaves from any of its states.
    public let region: String?
    /// The destination.
    public let destination: Destination
    /// Whether a guard may refuse it.
    public let isGuarded: Bool
    /// The guard's name, if it has one.
    public let guardName: String?
    /// The declaration that it comes from.
    public let origin: Origin

    /// The state it leads to, if that is known.
    var toState: State? { if case .state(let state) = destination { state } else { nil } }

    init(
        _ trigger: Trigger, from: StatePattern<State>, to destination: Destination,
        isGuarded: Bool = false, guardName: String? = nil, region: String? = nil, origin: Origin
    ) {
        self.trigger = trigger
        fromState = from
        self.destination = destination
        self.isGuarded = isGuarded
        self.guardName = guardName
        self.region = region
        self.origin = origin
    }
}
