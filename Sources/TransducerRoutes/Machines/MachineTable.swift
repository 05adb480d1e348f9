/// The routes and handlers of a machine, with their indexes. It never changes, so a step may use it
/// while its handlers add and remove others.
@usableFromInline
final class MachineTable<S: StateType, E: EventType> {
    @usableFromInline let index: RouteIndex<S, E>
    /// By route number.
    @usableFromInline let boxes: [ConditionBox<S, E>?]
    @usableFromInline let mappings: [Machine<S, E>.RouteMapping]
    @usableFromInline let stateMappings: [StateMachine<S, E>.StateRouteMapping]
    @usableFromInline let handlerIndex: HandlerIndex<S, E>
    /// By handler number.
    @usableFromInline let handlers: [MachineRegistry<S, E>.HandlerEntry]
    /// In the order in which they run.
    let errorHandlers: [MachineRegistry<S, E>.ErrorHandler]
    @usableFromInline let chains: [MachineChain<S, E>]

    init(_ registry: MachineRegistry<S, E>) {
        let routes = registry.routes.map {
            IndexedRoute(event: $0.event, transition: $0.transition, isGuarded: $0.box != nil)
        }
        index = RouteIndex(routes)
        boxes = registry.routes.map(\.box)
        mappings = registry.mappings.map(\.body)
        stateMappings = registry.stateMappings.map(\.body)
        handlers = registry.handlers
        handlerIndex = HandlerIndex(
            registry.handlers.map { Self.indexed($0, in: registry) }, routes: routes)
        errorHandlers = registry.errorHandlers.enumerated().sorted {
            ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
        }.map(\.element)
        chains = registry.chains
    }

    private static func indexed(
        _ handler: MachineRegistry<S, E>.HandlerEntry, in registry: MachineRegistry<S, E>
    ) -> IndexedHandler<S, E> {
        switch handler.trigger {
        case .pattern(let trigger, let transition):
            return IndexedHandler(
                order: handler.order, trigger: trigger, transition: transition)
        case .mapping:
            let number = registry.mappings.firstIndex { $0.id == handler.id } ?? 0
            return IndexedHandler(order: handler.order, trigger: .source(.mapping(number)))
        case .stateMapping:
            let number = registry.stateMappings.firstIndex { $0.id == handler.id } ?? 0
            return IndexedHandler(order: handler.order, trigger: .source(.stateMapping(number)))
        case .routes:
            // Routes that were added together are adjacent and have the same event.
            let own = registry.routes.indices.filter { registry.routes[$0].id == handler.id }
            let numbers = own.first.map { $0..<($0 + own.count) } ?? 0..<0
            return IndexedHandler(
                order: handler.order, routes: numbers,
                event: own.first.flatMap { registry.routes[$0].event },
                transitions: registry.routes[numbers].map(\.transition))
        }
    }

    func refusal(
        of request: MachineRequest<S, E>, in state: S, _ reason: RouteRefusal<S, E>.Reason
    ) -> RouteRefusal<S, E> {
        RouteRefusal(
            fromState: state, event: request.event, toState: request.toState, reason: reason,
            accepts: accepts(in: state, but: request.event))
    }

    /// The names of the events that have a route from `state`, but for `other`.
    private func accepts(in state: S, but other: E?) -> [String] {
        let declared = index.routes.filter { $0.transition.fromState.matches(state) }
            .compactMap { $0.event?.rawValue }
        let events =
            allCases(of: E.self)?.filter { index.hasCandidate(for: $0, in: state) { _ in true } }
            ?? declared
        var names: [String] = []
        for event in events where event != other {
            let name = RouteLabel.name(of: event)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
