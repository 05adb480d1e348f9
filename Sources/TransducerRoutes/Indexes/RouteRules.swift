/// The conditions behind the numbers of an index: closures of a table or of a machine.
@usableFromInline
protocol RouteRules<S> {
    associatedtype S: StateType

    /// Whether the route's region is active and its guard passes for a change to `to`. Asked at
    /// most once for a route and a destination within an attempt.
    mutating func passes(_ route: Int, to: S) -> Bool
}
