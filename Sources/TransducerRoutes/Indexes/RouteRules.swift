/// The conditions of the routes of an index: closures of a table or of a machine.
@usableFromInline
protocol RouteRules<S> {
    associatedtype S: StateType

    /// Whether the route's region is active and its guard passes for a change to `to`. Called at
    /// most once per route, destination and attempt.
    mutating func passes(_ route: Int, to: S) -> Bool
}
