extension StateMachine {
    // MARK: Routes

    /// Allows an arrow.
    @discardableResult
    public func addRoute(
        _ transition: Transition<S>, condition: Condition? = nil
    ) -> any Disposable {
        addRoute(Route(transition: transition, condition: condition))
    }

    /// Allows a route.
    @discardableResult
    public func addRoute(_ route: Route<S, E>) -> any Disposable {
        register { $0.add(nil, [route], order: 100, handler: nil) }
    }

    /// Allows an arrow and runs `handler` when it allowed a requested destination, even if another
    /// route did too.
    @discardableResult
    public func addRoute(
        _ transition: Transition<S>, condition: Condition? = nil, handler: @escaping Handler
    ) -> any Disposable {
        addRoute(Route(transition: transition, condition: condition), handler: handler)
    }

    /// Allows a route and runs `handler` when it allowed a requested destination, even if another
    /// route did too.
    @discardableResult
    public func addRoute(
        _ route: Route<S, E>, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(nil, [route], order: 100, handler: handler) }
    }

    /// Computes the allowed destinations; several mappings add up.
    @discardableResult
    public func addStateRouteMapping(
        _ routeMapping: @escaping StateRouteMapping
    ) -> any Disposable {
        register { $0.add(stateMapping: routeMapping, order: 100, handler: nil) }
    }

    /// Computes the allowed destinations and runs `handler` when this mapping allowed one.
    @discardableResult
    public func addStateRouteMapping(
        _ routeMapping: @escaping StateRouteMapping, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(stateMapping: routeMapping, order: 100, handler: handler) }
    }

    // MARK: Handlers

    /// Runs `handler` when a requested destination was reached along the arrow; not after an event
    /// (``addAnyHandler(_:order:handler:)``).
    @discardableResult
    public func addHandler(
        _ transition: Transition<S>, order: HandlerOrder = 100, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(.move, transition, order: order, handler: handler) }
    }

    /// Runs `handler` when the state changed along the arrow, by an event or a request.
    @discardableResult
    public func addAnyHandler(
        _ transition: Transition<S>, order: HandlerOrder = 100, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(.change, transition, order: order, handler: handler) }
    }

    // MARK: Chains

    /// Allows every arrow of a chain and runs `handler` when it has been walked.
    @discardableResult
    public func addRouteChain(
        _ chain: TransitionChain<S>, condition: Condition? = nil, handler: @escaping Handler
    ) -> any Disposable {
        addRouteChain(
            RouteChain(transitionChain: chain, condition: condition), handler: handler)
    }

    /// Allows every route of a chain and runs `handler` when it has been walked.
    @discardableResult
    public func addRouteChain(
        _ chain: RouteChain<S, E>, handler: @escaping Handler
    ) -> any Disposable {
        let routes = register { $0.add(nil, chain.routes, order: 100, handler: nil) }
        return DisposableGroup([routes, addChainHandler(chain, handler: handler)])
    }

    /// Runs `handler` each time a chain has been walked: its steps one after the other, by events
    /// or requests, with only refusals between them.
    @discardableResult
    public func addChainHandler(
        _ chain: TransitionChain<S>, order: HandlerOrder = 200, handler: @escaping Handler
    ) -> any Disposable {
        addChainHandler(RouteChain(transitionChain: chain), order: order, handler: handler)
    }

    /// Runs `handler` when a chain of routes has been walked; a step counts when its condition
    /// passes.
    @discardableResult
    public func addChainHandler(
        _ chain: RouteChain<S, E>, order: HandlerOrder = 200, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(chain, on: .completed, order: order, handler: handler) }
    }

    /// Runs `handler` when a begun chain was left, once until it begins again.
    @discardableResult
    public func addChainErrorHandler(
        _ chain: TransitionChain<S>, order: HandlerOrder = 150, handler: @escaping Handler
    ) -> any Disposable {
        addChainErrorHandler(RouteChain(transitionChain: chain), order: order, handler: handler)
    }

    /// Runs `handler` when a begun chain of routes was left, once until it begins again.
    @discardableResult
    public func addChainErrorHandler(
        _ chain: RouteChain<S, E>, order: HandlerOrder = 150, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(chain, on: .broken, order: order, handler: handler) }
    }
}
