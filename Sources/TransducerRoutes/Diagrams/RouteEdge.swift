/// One arrow of a table as data: for drawing, listing and analysing.
public struct RouteEdge<State: StateType, Event: EventType>: Hashable, Sendable {
    /// What makes a machine go along it.
    public enum Trigger: Hashable, Sendable {
        /// An event, or any.
        case event(EventPattern<Event>)
        /// Asking for the destination.
        case move
    }

    /// Where it leads.
    public enum Destination: Hashable, Sendable {
        /// To a state.
        case state(State)
        /// To where the machine is.
        case stay
        /// To whatever is asked for.
        case anywhere
        /// To what a closure computes.
        case computed
    }

    /// What it comes from.
    public enum Origin: Hashable, Sendable {
        /// A route, by its place in the order of declaration.
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

    /// What makes a machine go along it.
    public let trigger: Trigger
    /// Where it begins.
    public let fromState: StatePattern<State>
    /// The region it begins in, where it begins in any state of a region.
    public let region: String?
    /// Where it leads.
    public let destination: Destination
    /// Whether a guard may refuse it.
    public let isGuarded: Bool
    /// The guard's name, if it has one.
    public let guardName: String?
    /// What it comes from.
    public let origin: Origin

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
