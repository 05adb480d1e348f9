/// A route in a list of routes to try.
@usableFromInline
struct RouteCandidate<S: StateType>: Sendable {
    /// Its place among all routes, in the order of declaration.
    @usableFromInline let number: Int
    /// The destination; `nil` for the present state or, in a move, for any.
    @usableFromInline let toState: S?
    /// Whether it has a guard or a region.
    @usableFromInline let isChecked: Bool
}
