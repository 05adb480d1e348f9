/// The routes of a machine as a value: which event leads from which state to which, under which
/// condition, and what is done then.
///
/// ```swift
/// let routes = RouteTable<Gate, Push, Sound> { table in
///     table.on(.coin, .locked => .unlocked) { _ in .output(.click) }
///     table.on(.push, .unlocked => .locked)
/// }
/// ```
///
/// A table never changes once it is made, so it may be shared by everything that runs it; the
/// state is a value of its user. ``RoutedTransducer`` makes it a machine that can be hosted,
/// ``diagram(initial:states:events:)`` draws it and
/// ``analysis(from:states:events:statesMax:)`` checks it.
///
/// **Precedence** is fixed and the same in every process. Nested regions come first, in the order
/// of declaration (``RouteTableBuilder/region(_:_:extract:embed:event:raise:output:)``). Of the
/// routes, an exact event comes before any event, then an exact from-state before "any state of a
/// region" before any, then an exact to-state before any, then the order of declaration. The first
/// whose guard passes wins. Requests and route mappings come last, in the order of declaration.
///
/// **Guards** are asked before the change, at most once for each route, and not at all behind the
/// winner. **Handlers** of the winner run, and those whose pattern fits, by their order, then the
/// more exact first, then as declared; those of other routes don't. Handlers don't call the
/// machine: the events they return are applied when all handlers of the step have run.
public struct RouteTable<State: StateType, Event: EventType, Output>:
    Sendable
{
    /// A handler: what is to be done after a change.
    public typealias Handler =
        @Sendable (RouteContext<State, Event>) -> RouteReaction<Event, Output>

    /// What may be done about a refusal; `nil` for nothing.
    public typealias RefusalHandler =
        @Sendable (RouteRefusal<State, Event>) -> RouteReaction<Event, Output>?

    /// A closure that says where an event leads, `nil` for nowhere.
    public typealias Mapping = @Sendable (Event, State) -> State?

    /// A closure that says where one may go without an event.
    public typealias StateMapping = @Sendable (State) -> [State]

    /// A closure that reads the destination out of an event that asks for one.
    public typealias Request = @Sendable (Event) -> State?

    @usableFromInline let storage: RouteTableStorage<State, Event, Output>

    /// The table that `declare` declares.
    ///
    /// A declaration that makes no sense (``RouteTableError``) is a programming error and stops
    /// the program with a sentence; ``checked(_:)`` throws it instead.
    public init(_ declare: (inout RouteTableBuilder<State, Event, Output>) -> Void) {
        var builder = RouteTableBuilder<State, Event, Output>()
        declare(&builder)
        if let error = builder.firstError { preconditionFailure("\(error)") }
        storage = builder.finish()
    }

    /// The table that `declare` declares, if it makes sense.
    ///
    /// - Throws: ``RouteTableError``, the first in the order of declaration.
    public static func checked(
        _ declare: (inout RouteTableBuilder<State, Event, Output>) -> Void
    ) throws(RouteTableError) -> RouteTable {
        var builder = RouteTableBuilder<State, Event, Output>()
        declare(&builder)
        if let error = builder.firstError { throw error }
        return RouteTable(storage: builder.finish())
    }

    private init(storage: RouteTableStorage<State, Event, Output>) { self.storage = storage }
}

/// All values of a type that lists them, else `nil`.
func allCases<Value>(of type: Value.Type) -> [Value]? {
    guard let type = type as? any CaseIterable.Type else { return nil }
    func list<T: CaseIterable>(_ type: T.Type) -> [Value]? { Array(type.allCases) as? [Value] }
    return list(type)
}
