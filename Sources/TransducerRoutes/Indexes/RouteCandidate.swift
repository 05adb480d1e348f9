/// A route as it stands in a list of those to be tried.
@usableFromInline
struct RouteCandidate<S: StateType>: Sendable {
    /// Its place among all routes, in the order of declaration.
    @usableFromInline let number: Int
    /// Where it leads; `nil` for "stay" or, asked for a destination, "wherever".
    @usableFromInline let toState: S?
    /// Whether its guard or its region must be asked.
    @usableFromInline let isChecked: Bool

    init(number: Int, toState: S?, isChecked: Bool) {
        self.number = number
        self.toState = toState
        self.isChecked = isChecked
    }
}
