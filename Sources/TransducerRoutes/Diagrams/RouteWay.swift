/// A way that something could go, if guards let it.
struct RouteWay<State: StateType, Event: EventType>: Sendable {
    let toState: State
    let isGuarded: Bool
    let guardName: String?
    let origin: RouteEdge<State, Event>.Origin
}
