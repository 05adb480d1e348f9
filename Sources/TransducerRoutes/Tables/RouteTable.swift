/// The routes of a machine as a value: the transitions with their events, conditions and handlers.
///
/// ```swift
/// let routes = RouteTable<Gate, Push, Sound> { table in
///     table.on(.coin, .locked => .unlocked) { _ in .output(.click) }
///     table.on(.push, .unlocked => .locked)
/// }
/// ```
///
/// A table never changes, so all users may share it; each has its own state.
/// ``RoutedTransducer`` makes it a machine that can be hosted, ``diagram(initial:states:events:)``
/// draws it and ``analysis(from:states:events:statesMax:)`` checks it.
///
/// **Precedence** is fixed and the same in every process. Nested regions come first, in the order
/// of declaration (``RouteTableBuilder/region(_:_:extract:embed:event:raise:output:)``). Of the
/// routes, an exact event comes before any event, then an exact from-state before "any state of a
/// region" before any, then an exact to-state before any, then the order of declaration. The first
/// whose guard passes wins. Requests and route mappings come last, in the order of declaration.
///
/// **Guards** are called before the change, at most once per route, and not after the winner.
/// **Handlers** of the winner and those with a matching pattern run, by their order, then the more
/// exact first, then as declared; handlers of other routes don't. They don't call the machine: the
/// events that they return are applied after all handlers of the step.
public struct RouteTable<State: StateType, Event: EventType, Output>:
    Sendable
{
    /// A handler, called after a change.
    public typealias Handler =
        @Sendable (RouteContext<State, Event>) -> RouteReaction<Event, Output>

    /// A handler of refusals; `nil` leaves the event refused.
    public typealias RefusalHandler =
        @Sendable (RouteRefusal<State, Event>) -> RouteReaction<Event, Output>?

    /// Computes the destination of an event; `nil` for none.
    public typealias Mapping = @Sendable (Event, State) -> State?

    /// Computes the allowed destinations without an event.
    public typealias StateMapping = @Sendable (State) -> [State]

    /// Reads the destination from an event that requests one.
    public typealias Request = @Sendable (Event) -> State?

    @usableFromInline let storage: RouteTableStorage<State, Event, Output>

    /// The table that `declare` declares.
    ///
    /// An invalid declaration (``RouteTableError``) is a programming error and stops the program
    /// with a sentence; ``checked(_:)`` throws it instead.
    public init(_ declare: (inout RouteTableBuilder<State, Event, Output>) -> Void) {
        do throws(RouteTableError) {
            self = try .checked(declare)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The table that `declare` declares, if it is valid.
    ///
    /// - Throws: ``RouteTableError``, the first in the order of declaration.
    public static func checked(
        _ declare: (inout RouteTableBuilder<State, Event, Output>) -> Void
    ) throws(RouteTableError) -> RouteTable {
        var builder = RouteTableBuilder<State, Event, Output>()
        declare(&builder)
        if let error = builder.firstError { throw error }
        return RouteTable(storage: RouteTableStorage(builder))
    }

    private init(storage: RouteTableStorage<State, Event, Output>) { self.storage = storage }
}

/// All values of a type that lists them, else `nil`.
func allCases<Value>(of type: Value.Type) -> [Value]? {
    guard let type = type as? any CaseIterable.Type else { return nil }
    func list<T: CaseIterable>(_ type: T.Type) -> [Value]? { Array(type.allCases) as? [Value] }
    return list(type)
}
