/// The guards of a table during one attempt.
@usableFromInline
struct TableRules<State: StateType, Event: EventType, Output>: RouteRules {
    @usableFromInline typealias S = State

    @usableFromInline let storage: RouteTableStorage<State, Event, Output>
    @usableFromInline let event: Event?
    @usableFromInline let from: State
    @usableFromInline var refusals = GuardRefusals()

    @inlinable
    init(storage: RouteTableStorage<State, Event, Output>, event: Event?, from: State) {
        self.storage = storage
        self.event = event
        self.from = from
    }

    @inlinable
    mutating func passes(_ route: Int, to: State) -> Bool {
        if let region = storage.index.routes[route].region,
            !storage.regions[region].isActive(from)
        {
            return false
        }
        guard let condition = storage.guards[route] else { return true }
        if condition.passes(RouteContext(event: event, fromState: from, toState: to)) {
            return true
        }
        refusals.add(condition.name)
        return false
    }
}
