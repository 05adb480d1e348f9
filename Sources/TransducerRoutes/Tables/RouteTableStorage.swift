/// The parts of a table, ready for use. One object, so that copying a table costs one count.
@usableFromInline
final class RouteTableStorage<State: StateType, Event: EventType, Output>:
    Sendable
{
    @usableFromInline typealias Table = RouteTable<State, Event, Output>

    /// A closure with the name it has in lists and diagrams.
    @usableFromInline
    struct Named<Closure: Sendable>: Sendable {
        @usableFromInline let name: String
        @usableFromInline let run: Closure
    }

    @usableFromInline let index: RouteIndex<State, Event>
    /// By route number.
    @usableFromInline let guards: [RouteGuard<State, Event>?]
    @usableFromInline let mappings: [Named<Table.Mapping>]
    @usableFromInline let stateMappings: [Named<Table.StateMapping>]
    @usableFromInline let requests: [Named<Table.Request>]
    @usableFromInline let regions: [RouteRegionBody<State, Event, Output>]
    @usableFromInline let handlerIndex: HandlerIndex<State, Event>
    /// By handler number.
    @usableFromInline let handlers: [Table.Handler]
    /// In the order in which they run.
    @usableFromInline let refusalHandlers: [Table.RefusalHandler]
    /// Whether states may be terminal.
    let mayEnd = State.self is any Terminable.Type
    /// All states and events, where their types list them.
    let allStates = allCases(of: State.self)
    let allEvents: [Event]?
    /// The names of all events that are known, so that a refusal costs no reflection.
    let eventNames: [Event: String]

    init(_ builder: RouteTableBuilder<State, Event, Output>) {
        index = RouteIndex(builder.routes)
        guards = builder.guards
        mappings = builder.mappings
        stateMappings = builder.stateMappings
        requests = builder.requests
        regions = builder.regions
        handlerIndex = HandlerIndex(builder.indexedHandlers, routes: builder.routes)
        handlers = builder.handlers
        let allEvents = allCases(of: Event.self)
        self.allEvents = allEvents
        let events = allEvents ?? builder.routes.compactMap { $0.event?.rawValue }
        eventNames = Dictionary(
            events.map { ($0, RouteLabel.name(of: $0)) }, uniquingKeysWith: { first, _ in first })
        let refusalOrder = builder.refusalHandlers.indices.sorted {
            (builder.refusalHandlers[$0].order, $0) < (builder.refusalHandlers[$1].order, $1)
        }
        refusalHandlers = refusalOrder.map { builder.refusalHandlers[$0].run }
    }
}
