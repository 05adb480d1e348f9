/// The cause of a change of state.
@usableFromInline
enum RouteSource: Hashable, Sendable {
    /// A route, by its number.
    case route(Int)
    /// A route mapping, by its number.
    case mapping(Int)
    /// A state mapping, by its number.
    case stateMapping(Int)
    /// A nested region, by its number.
    case region(Int)
}
