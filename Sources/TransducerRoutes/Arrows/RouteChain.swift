/// A chain whose steps may have conditions.
public struct RouteChain<S: StateType, E: EventType> {
    /// The steps in order.
    public let routes: [Route<S, E>]

    /// A chain of these steps.
    public init(routes: [Route<S, E>]) { self.routes = routes }

    /// A chain whose steps all have the same condition.
    public init(
        transitionChain: TransitionChain<S>, condition: Machine<S, E>.Condition? = nil
    ) {
        let box = condition.map(ConditionBox<S, E>.init)
        self.init(
            routes: transitionChain.transitions.map {
                Route(transitions: TransitionSet($0), box: box)
            })
    }
}
