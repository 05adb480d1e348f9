extension Machine {
    // MARK: Routes

    /// Lets `event` lead along each of these arrows; from one state, the first whose condition
    /// passes wins.
    @discardableResult
    public func addRoutes(
        event: E, transitions: [Transition<S>], condition: Condition? = nil
    ) -> any Disposable {
        addRoutes(event: .some(event), transitions: transitions, condition: condition)
    }

    /// Lets every event of the pattern lead along each of these arrows.
    @discardableResult
    public func addRoutes(
        event: EventPattern<E>, transitions: [Transition<S>], condition: Condition? = nil
    ) -> any Disposable {
        addRoutes(event: event, routes: Self.routes(transitions, condition))
    }

    /// Lets `event` lead along each of these routes.
    @discardableResult
    public func addRoutes(event: E, routes: [Route<S, E>]) -> any Disposable {
        addRoutes(event: .some(event), routes: routes)
    }

    /// Lets every event of the pattern lead along each of these routes.
    @discardableResult
    public func addRoutes(event: EventPattern<E>, routes: [Route<S, E>]) -> any Disposable {
        register { $0.add(event, routes, order: 100, handler: nil) }
    }

    // MARK: Routes with a handler

    /// Lets `event` lead along each of these arrows and runs `handler` when one of them applied it.
    @discardableResult
    public func addRoutes(
        event: E, transitions: [Transition<S>], condition: Condition? = nil,
        handler: @escaping Handler
    ) -> any Disposable {
        addRoutes(
            event: .some(event), transitions: transitions, condition: condition, handler: handler)
    }

    /// Lets every event of the pattern lead along each of these arrows and runs `handler` when one
    /// of them applied it.
    @discardableResult
    public func addRoutes(
        event: EventPattern<E>, transitions: [Transition<S>], condition: Condition? = nil,
        handler: @escaping Handler
    ) -> any Disposable {
        addRoutes(event: event, routes: Self.routes(transitions, condition), handler: handler)
    }

    /// Lets `event` lead along each of these routes and runs `handler` when one of them applied it.
    @discardableResult
    public func addRoutes(
        event: E, routes: [Route<S, E>], handler: @escaping Handler
    ) -> any Disposable {
        addRoutes(event: .some(event), routes: routes, handler: handler)
    }

    /// Lets every event of the pattern lead along each of these routes and runs `handler` when one
    /// of them applied it.
    @discardableResult
    public func addRoutes(
        event: EventPattern<E>, routes: [Route<S, E>], handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(event, routes, order: 100, handler: handler) }
    }

    /// Computes the destination of an event without a route; the first mapping with one wins.
    @discardableResult
    public func addRouteMapping(_ routeMapping: @escaping RouteMapping) -> any Disposable {
        register { $0.add(mapping: routeMapping, order: 100, handler: nil) }
    }

    /// Computes the destination of an event and runs `handler` when this mapping applied it.
    @discardableResult
    public func addRouteMapping(
        _ routeMapping: @escaping RouteMapping, order: HandlerOrder = 100,
        handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(mapping: routeMapping, order: order, handler: handler) }
    }

    // MARK: Handlers

    /// Runs `handler` whenever this event was applied, by any route.
    @discardableResult
    public func addHandler(
        event: E, order: HandlerOrder = 100, handler: @escaping Handler
    ) -> any Disposable {
        addHandler(event: .some(event), order: order, handler: handler)
    }

    /// Runs `handler` whenever an event of the pattern was applied, by any route.
    @discardableResult
    public func addHandler(
        event: EventPattern<E>, order: HandlerOrder = 100, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(.event(event), nil, order: order, handler: handler) }
    }

    /// Runs `handler` whenever an attempt was refused. Its `toState` is the requested destination,
    /// or the present state for an event; ``lastRefusal`` has the reason.
    @discardableResult
    public func addErrorHandler(
        order: HandlerOrder = 100, handler: @escaping Handler
    ) -> any Disposable {
        register { $0.add(errorHandler: handler, order: order) }
    }

    /// Routes that share one condition.
    static func routes(_ transitions: [Transition<S>], _ condition: Condition?) -> [Route<S, E>] {
        let box = condition.map { ConditionBox<S, E>($0) }
        return transitions.map { Route(transitions: TransitionSet($0), box: box) }
    }
}
