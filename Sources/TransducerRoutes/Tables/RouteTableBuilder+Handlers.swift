extension RouteTableBuilder {
    /// Runs a handler whenever the state changed along an arrow, by an event or not.
    ///
    /// A step that stays counts as going from the state to itself, so `.any => .b` also runs where
    /// b stays b.
    public mutating func handle(
        _ transition: Transition<State>, order: HandlerOrder = 100,
        perform handler: @escaping Table.Handler
    ) {
        add(.change, transition, order: order, handler)
    }

    /// Runs a handler whenever this event was applied, by any route.
    public mutating func handle(
        event: Event, order: HandlerOrder = 100, perform handler: @escaping Table.Handler
    ) {
        add(.event(.some(event)), nil, order: order, handler)
    }

    /// Runs a handler whenever an event of the pattern was applied, by any route.
    public mutating func handle(
        event: EventPattern<Event>, order: HandlerOrder = 100,
        perform handler: @escaping Table.Handler
    ) {
        add(.event(event), nil, order: order, handler)
    }

    /// Runs a handler whenever a step ended in `state`; the same as for `.any => state`.
    public mutating func entry(
        _ state: State, order: HandlerOrder = 100, perform handler: @escaping Table.Handler
    ) {
        handle(.any => state, order: order, perform: handler)
    }

    /// Runs a handler whenever a step began in `state`; the same as for `state => .any`.
    public mutating func exit(
        _ state: State, order: HandlerOrder = 100, perform handler: @escaping Table.Handler
    ) {
        handle(state => .any, order: order, perform: handler)
    }

    /// Runs a handler when an event or a move was refused.
    ///
    /// All such handlers run. If one returns a reaction, the event counts as applied: the state
    /// stays, and the reaction is emitted. If none does, the event is refused.
    public mutating func refused(
        order: HandlerOrder = 100, perform handler: @escaping Table.RefusalHandler
    ) {
        refusalHandlers.append((order, handler))
    }
}
