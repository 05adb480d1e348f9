extension RouteTableBuilder {
    // MARK: Routes of one event

    /// Lets `event` lead along an arrow.
    ///
    /// - Parameters:
    ///   - event: Exactly this event.
    ///   - transition: `.a => .b`; `.any` on the left is every state, on the right the present one.
    ///   - condition: The guard.
    ///   - order: The handler's place among others of the step.
    ///   - handler: Runs when this route applied the event.
    public mutating func on(
        _ event: Event, _ transition: Transition<State>, when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(.some(event), [transition], when: condition, order: order, perform: handler)
    }

    /// Lets `event` lead along several arrows, `[.a, .b] => .c`. From one state, the first whose
    /// guard passes wins.
    public mutating func on(
        _ event: Event, _ transitions: TransitionSet<State>, when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(
            .some(event), transitions.transitions, when: condition, order: order,
            perform: handler)
    }

    /// Lets `event` lead along the arrows of a list, `[.a => .b, .b => .c]`.
    public mutating func on(
        _ event: Event, _ transitions: [Transition<State>], when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(.some(event), transitions, when: condition, order: order, perform: handler)
    }

    /// Lets `event` leave a region from any state inside.
    public mutating func on(
        _ event: Event, leaving region: RouteRegion, to state: State,
        when condition: Guard? = nil, order: HandlerOrder = 100,
        perform handler: Table.Handler? = nil
    ) {
        add(
            .some(event), [.any => state], region: region.number, when: condition, order: order,
            perform: handler)
    }

    // MARK: Routes of any event

    /// Lets the events of a pattern, mostly `.any`, lead along an arrow.
    public mutating func on(
        _ events: EventPattern<Event>, _ transition: Transition<State>,
        when condition: Guard? = nil, order: HandlerOrder = 100,
        perform handler: Table.Handler? = nil
    ) {
        add(events, [transition], when: condition, order: order, perform: handler)
    }

    /// Lets the events of a pattern, mostly `.any`, lead along several arrows.
    public mutating func on(
        _ events: EventPattern<Event>, _ transitions: TransitionSet<State>,
        when condition: Guard? = nil, order: HandlerOrder = 100,
        perform handler: Table.Handler? = nil
    ) {
        add(events, transitions.transitions, when: condition, order: order, perform: handler)
    }

    /// Lets the events of a pattern, mostly `.any`, lead along the arrows of a list.
    public mutating func on(
        _ events: EventPattern<Event>, _ transitions: [Transition<State>],
        when condition: Guard? = nil, order: HandlerOrder = 100,
        perform handler: Table.Handler? = nil
    ) {
        add(events, transitions, when: condition, order: order, perform: handler)
    }

    // MARK: Routes without events

    /// Allows an arrow for moves to its destination (``RouteTable/move(_:to:)``,
    /// ``request(_:_:)``); `.any` on the right is every destination.
    ///
    /// - Parameters:
    ///   - transition: The arrow.
    ///   - condition: The guard.
    ///   - order: The handler's place among others of the step.
    ///   - handler: Runs after a change along this arrow, if its guard passed, even if another
    ///     arrow allowed it too.
    public mutating func move(
        _ transition: Transition<State>, when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(nil, [transition], when: condition, order: order, perform: handler)
    }

    /// Allows several arrows for moves to their destinations.
    public mutating func move(
        _ transitions: TransitionSet<State>, when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(nil, transitions.transitions, when: condition, order: order, perform: handler)
    }

    /// Allows the arrows of a list for moves to their destinations.
    public mutating func move(
        _ transitions: [Transition<State>], when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(nil, transitions, when: condition, order: order, perform: handler)
    }

    /// Treats events that carry a destination as requests for it, if they have no route: state
    /// routes and state mappings decide.
    ///
    /// - Parameters:
    ///   - name: The name in diagrams.
    ///   - destination: Returns the destination, or `nil` for other events.
    public mutating func request(
        _ name: String = "request", _ destination: @escaping Table.Request
    ) {
        requests.append(.init(name: name, run: destination))
    }

    // MARK: Routes as closures

    /// Computes the destination of an event from its values and the state's, if no route applies.
    /// Of several mappings, the first with a destination wins, in the order of declaration.
    ///
    /// - Parameters:
    ///   - name: The name in lists and diagrams.
    ///   - mapping: Returns the destination, or `nil` for none.
    ///   - order: The handler's place among others of the step.
    ///   - handler: Runs when this mapping applied the event.
    public mutating func map(
        _ name: String = "mapping", _ mapping: @escaping Table.Mapping,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        mappings.append(.init(name: name, run: mapping))
        add(.source(.mapping(mappings.count - 1)), nil, order: order, handler)
    }

    /// Computes the allowed destinations of moves; several mappings add up.
    public mutating func mapStates(
        _ name: String = "state mapping", _ mapping: @escaping Table.StateMapping,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        stateMappings.append(.init(name: name, run: mapping))
        add(.source(.stateMapping(stateMappings.count - 1)), nil, order: order, handler)
    }
}
