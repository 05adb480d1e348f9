extension RouteTableBuilder {
    // MARK: Routes of one event

    /// Lets `event` lead along an arrow.
    ///
    /// - Parameters:
    ///   - event: Exactly this event.
    ///   - transition: `.a => .b`; `.any` on the left is every state, on the right it is to stay.
    ///   - condition: What must hold.
    ///   - order: When the handler runs among those of the same step.
    ///   - handler: What is to be done; it runs when this route took the event.
    public mutating func on(
        _ event: Event, _ transition: Transition<State>, when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(.some(event), [transition], when: condition, order: order, perform: handler)
    }

    /// Lets `event` lead along several arrows, `[.a, .b] => .c`. Of several from one state, the
    /// first whose guard passes wins.
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

    /// Lets `event` leave a region from whatever state is active inside.
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

    /// Allows going along an arrow when asked for its destination (``RouteTable/move(_:to:)``,
    /// ``request(_:_:)``); `.any` on the right is every destination.
    ///
    /// - Parameters:
    ///   - transition: The arrow.
    ///   - condition: The guard.
    ///   - order: The handler's place among others of the step.
    ///   - handler: Runs when a change goes along this arrow and its guard passed, also where
    ///     another arrow allowed it too.
    public mutating func move(
        _ transition: Transition<State>, when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(nil, [transition], when: condition, order: order, perform: handler)
    }

    /// Allows going along several arrows when asked for their destination.
    public mutating func move(
        _ transitions: TransitionSet<State>, when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(nil, transitions.transitions, when: condition, order: order, perform: handler)
    }

    /// Allows going along the arrows of a list when asked for their destination.
    public mutating func move(
        _ transitions: [Transition<State>], when condition: Guard? = nil,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(nil, transitions, when: condition, order: order, perform: handler)
    }

    /// Takes events that carry a destination as asking for it: state routes and state mappings
    /// decide, and no route of the event itself must have taken it.
    ///
    /// - Parameters:
    ///   - name: What diagrams call it.
    ///   - destination: Reads the destination, or answers `nil` for other events.
    public mutating func request(
        _ name: String = "request", _ destination: @escaping Table.Request
    ) {
        add(request: name, destination)
    }

    // MARK: Routes as closures

    /// Computes where an event leads, from what event and state carry. Asked when no route took
    /// the event; of several, the first in the order of declaration that answers wins.
    ///
    /// - Parameters:
    ///   - name: What it is called in lists and diagrams, where a closure can't show itself.
    ///   - mapping: The destination, or `nil` for none.
    ///   - order: When the handler runs among those of the same step.
    ///   - handler: What is to be done when this mapping took the event.
    public mutating func map(
        _ name: String = "mapping", _ mapping: @escaping Table.Mapping,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(mapping: name, mapping, order: order, handler)
    }

    /// Computes where one may go when asking for a destination. The answers of several add up.
    public mutating func mapStates(
        _ name: String = "state mapping", _ mapping: @escaping Table.StateMapping,
        order: HandlerOrder = 100, perform handler: Table.Handler? = nil
    ) {
        add(stateMapping: name, mapping, order: order, handler)
    }
}
