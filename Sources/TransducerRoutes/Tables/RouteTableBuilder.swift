/// Declares the routes and handlers of a table.
///
/// Order matters only among equally exact routes, among mappings, and among equally exact handlers
/// of the same order.
public struct RouteTableBuilder<
    State: StateType, Event: EventType, Output
> {
    /// The table.
    public typealias Table = RouteTable<State, Event, Output>
    /// A condition with a name.
    public typealias Guard = RouteGuard<State, Event>
    typealias Storage = RouteTableStorage<State, Event, Output>

    private(set) var routes: [IndexedRoute<State, Event>] = []
    private(set) var guards: [Guard?] = []
    var mappings: [Storage.Named<Table.Mapping>] = []
    var stateMappings: [Storage.Named<Table.StateMapping>] = []
    var requests: [Storage.Named<Table.Request>] = []
    private(set) var regions: [RouteRegionBody<State, Event, Output>] = []
    private(set) var indexedHandlers: [IndexedHandler<State, Event>] = []
    private(set) var handlers: [Table.Handler] = []
    var refusalHandlers: [(order: HandlerOrder, run: Table.RefusalHandler)] = []
    private(set) var firstError: RouteTableError?

    /// The identity of a route.
    private struct Key: Hashable {
        let event: EventPattern<Event>?
        let transition: Transition<State>
        let region: Int?
        let guardName: String?
    }
    private var known: Set<Key> = []

    init() {}

    // MARK: Adding

    mutating func add(
        _ event: EventPattern<Event>?, _ transitions: [Transition<State>], region: Int? = nil,
        when condition: Guard?, order: HandlerOrder, perform handler: Table.Handler?
    ) {
        if transitions.isEmpty { report(.noTransition(event: event?.description)) }
        let first = routes.count
        for transition in transitions {
            checkDuplicate(event, transition, region, condition)
            routes.append(
                IndexedRoute(
                    event: event, transition: transition, region: region,
                    isGuarded: condition != nil))
            guards.append(condition)
        }
        guard let handler else { return }
        indexedHandlers.append(
            IndexedHandler(
                order: order, routes: first..<routes.count, event: event, transitions: transitions))
        handlers.append(handler)
    }

    /// Reports a route that is declared twice. Guards without names can't be compared, so they all
    /// differ.
    private mutating func checkDuplicate(
        _ event: EventPattern<Event>?, _ transition: Transition<State>, _ region: Int?,
        _ condition: Guard?
    ) {
        if let condition, condition.name == nil { return }
        let key = Key(
            event: event, transition: transition, region: region, guardName: condition?.name)
        guard !known.insert(key).inserted else { return }
        let from = region.map { "any of \(regions[$0].name)" } ?? transition.fromState.description
        report(
            .duplicateRoute(
                event: event?.description, from: from, to: transition.toState.description,
                guardName: condition?.name))
    }

    mutating func add(
        _ trigger: IndexedHandler<State, Event>.Trigger, _ transition: Transition<State>?,
        order: HandlerOrder, _ handler: Table.Handler?
    ) {
        guard let handler else { return }
        indexedHandlers.append(
            IndexedHandler(order: order, trigger: trigger, transition: transition))
        handlers.append(handler)
    }

    mutating func add(region: RouteRegionBody<State, Event, Output>) -> RouteRegion {
        if regions.contains(where: { $0.name == region.name }) {
            report(.duplicateRegion(region.name))
        }
        regions.append(region)
        return RouteRegion(number: regions.count - 1)
    }

    private mutating func report(_ error: RouteTableError) { firstError = firstError ?? error }
}
