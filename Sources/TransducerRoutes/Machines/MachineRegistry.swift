/// The routes and handlers of a machine, in the order of their adding. Entries that were added
/// together have one id and are removed together.
@usableFromInline
struct MachineRegistry<S: StateType, E: EventType> {
    /// A route with its condition.
    struct Entry {
        let id: Int
        /// `nil` for routes that are asked for by their destination.
        let event: EventPattern<E>?
        let transition: Transition<S>
        let box: ConditionBox<S, E>?
    }

    enum Trigger {
        /// A route that was added with it.
        case routes
        /// A mapping that was added with it.
        case mapping
        /// A state mapping that was added with it.
        case stateMapping
        /// An event, a destination, or either.
        case pattern(IndexedHandler<S, E>.Trigger, Transition<S>?)
    }

    @usableFromInline
    struct HandlerEntry {
        @usableFromInline let id: Int
        let order: HandlerOrder
        let trigger: Trigger
        @usableFromInline let run: Machine<S, E>.Handler
    }

    typealias ErrorHandler = (id: Int, order: HandlerOrder, run: Machine<S, E>.Handler)

    private(set) var routes: [Entry] = []
    private(set) var mappings: [(id: Int, body: Machine<S, E>.RouteMapping)] = []
    private(set) var stateMappings: [(id: Int, body: StateMachine<S, E>.StateRouteMapping)] = []
    private(set) var handlers: [HandlerEntry] = []
    private(set) var errorHandlers: [ErrorHandler] = []
    @usableFromInline var chains: [MachineChain<S, E>] = []
    /// The ids that haven't been removed.
    @usableFromInline var alive: Set<Int> = []
    private var last = 0

    private mutating func next() -> Int {
        last += 1
        alive.insert(last)
        return last
    }

    mutating func add(
        _ event: EventPattern<E>?, _ routes: [Route<S, E>],
        order: HandlerOrder, handler: Machine<S, E>.Handler?
    ) -> Int {
        let id = next()
        for route in routes {
            for transition in route.transitions.transitions {
                self.routes.append(
                    Entry(id: id, event: event, transition: transition, box: route.box))
            }
        }
        add(handler, id, order, .routes)
        return id
    }

    mutating func add(
        mapping: @escaping Machine<S, E>.RouteMapping, order: HandlerOrder,
        handler: Machine<S, E>.Handler?
    ) -> Int {
        let id = next()
        mappings.append((id, mapping))
        add(handler, id, order, .mapping)
        return id
    }

    mutating func add(
        stateMapping: @escaping StateMachine<S, E>.StateRouteMapping, order: HandlerOrder,
        handler: Machine<S, E>.Handler?
    ) -> Int {
        let id = next()
        stateMappings.append((id, stateMapping))
        add(handler, id, order, .stateMapping)
        return id
    }

    mutating func add(
        _ trigger: IndexedHandler<S, E>.Trigger, _ transition: Transition<S>?,
        order: HandlerOrder, handler: @escaping Machine<S, E>.Handler
    ) -> Int {
        let id = next()
        add(handler, id, order, .pattern(trigger, transition))
        return id
    }

    mutating func add(
        errorHandler: @escaping Machine<S, E>.Handler, order: HandlerOrder
    ) -> Int {
        let id = next()
        errorHandlers.append((id, order, errorHandler))
        return id
    }

    mutating func add(
        _ chain: RouteChain<S, E>, on outcome: ChainPosition.Outcome, order: HandlerOrder,
        handler: @escaping Machine<S, E>.Handler
    ) -> Int {
        let id = next()
        chains.append(
            MachineChain(id: id, chain: chain, outcome: outcome, order: order, handler: handler))
        return id
    }

    private mutating func add(
        _ handler: Machine<S, E>.Handler?, _ id: Int, _ order: HandlerOrder, _ trigger: Trigger
    ) {
        guard let handler else { return }
        handlers.append(HandlerEntry(id: id, order: order, trigger: trigger, run: handler))
    }

    mutating func remove(_ id: Int) {
        guard alive.remove(id) != nil else { return }
        routes.removeAll { $0.id == id }
        mappings.removeAll { $0.id == id }
        stateMappings.removeAll { $0.id == id }
        handlers.removeAll { $0.id == id }
        errorHandlers.removeAll { $0.id == id }
        chains.removeAll { $0.id == id }
    }
}
