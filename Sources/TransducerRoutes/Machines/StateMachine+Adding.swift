extension StateMachine {
    // MARK: Routes

    /// Allows going along an arrow.
    @discardableResult
    public func addRoute(
        _ transition: Transition<S>, condition: Condition? = nil
    ) -> any Disposable {
        addRoute(Route(transition: transition, condition: condition))
    }

    /// Allows going along a route.
    @discardableResult
    public func addRoute(_ route: Route<S, E>) -> any Disposable {
        register { $0.add(nil, [route], order: 100, handler: nil) }
    }

    /// Allows going along an arrow and runs `handler` when a destination that was asked for was
    /// allowed by it, also where another route allowed it too.
    @discardableResult
    public func addRoute(
        _ transition: Transition<S>, condition: Condition? = nil, handler: @escaping Handler
    ) -> any Disposable {
        addRoute(Route(transition: transition, condition: condition), handler: handler)
    }

    /// Allows going along a route and runs `handler` when a destination that was asked for was
    /// allowed by it, also where another route allowed it too.
    @discardableResult
    public func addRoute(
        _ route: Route<S, E>, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(nil, [route], order: 100, handler: handler) }
    }

    /// Computes where one may go. The answers of several mappings add up.
    @discardableResult
    public func addStateRouteMapping(
        _ routeMapping: @escaping StateRouteMapping
    ) -> any Disposable {
        register { $0.add(stateMapping: routeMapping, order: 100, handler: nil) }
    }

    /// Computes where one may go and runs `handler` when this mapping allowed it.
    @discardableResult
    public func addStateRouteMapping(
        _ routeMapping: @escaping StateRouteMapping, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(stateMapping: routeMapping, order: 100, handler: handler) }
    }

    // MARK: Handlers

    /// Runs `handler` when a destination that was asked for was reached along the arrow; not when
    /// an event led there (``addAnyHandler(_:order:handler:)``).
    @discardableResult
    public func addHandler(
        _ transition: Transition<S>, order: HandlerOrder = 100, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(.move, transition, order: order, handler: handler) }
    }

    /// Runs `handler` when the state changed along the arrow, by an event or by a destination.
    @discardableResult
    public func addAnyHandler(
        _ transition: Transition<S>, order: HandlerOrder = 100, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(.change, transition, order: order, handler: handler) }
    }

    // MARK: Chains

    /// Allows going along every arrow of a chain and runs `handler` when it has been walked.
    @discardableResult
    public func addRouteChain(
        _ chain: TransitionChain<S>, condition: Condition? = nil, handler: @escaping Handler
    ) -> any Disposable {
        addRouteChain(
            RouteChain(transitionChain: chain, condition: condition), handler: handler)
    }

    /// Allows going along every route of a chain and runs `handler` when it has been walked.
    @discardableResult
    public func addRouteChain(
        _ chain: RouteChain<S, E>, handler: @escaping Handler
    ) -> any Disposable {
        let routes = register { $0.add(nil, chain.routes, order: 100, handler: nil) }
        return DisposableGroup([routes, addChainHandler(chain, handler: handler)])
    }

    /// Runs `handler` when a chain has been walked: its steps one after the other, by events or by
    /// destinations, and nothing between them but refusals. Once each time it is walked.
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

    /// Runs `handler` when a chain that had been begun was left, once until it is begun again.
    @discardableResult
    public func addChainErrorHandler(
        _ chain: TransitionChain<S>, order: HandlerOrder = 150, handler: @escaping Handler
    ) -> any Disposable {
        addChainErrorHandler(RouteChain(transitionChain: chain), order: order, handler: handler)
    }

    /// Runs `handler` when a chain of routes that had been begun was left, once until it is begun
    /// again.
    @discardableResult
    public func addChainErrorHandler(
        _ chain: RouteChain<S, E>, order: HandlerOrder = 150, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(chain, on: .broken, order: order, handler: handler) }
    }
}
