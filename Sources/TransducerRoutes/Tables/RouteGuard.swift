/// A condition of a route, as a value with a name.
///
/// The name stands in refusals and diagrams, and makes it possible to notice that a route is
/// declared twice; closures can't be compared. A guard is asked at most once for a route in an
/// attempt, before the change, and must be a function of the context alone.
public struct RouteGuard<State: StateType, Event: EventType>: Sendable {
    /// The condition itself.
    public typealias Condition = @Sendable (RouteContext<State, Event>) -> Bool

    /// What it is called; `nil` for a guard without a name.
    public let name: String?
    /// Whether the change is allowed.
    public let passes: Condition

    /// A guard without a name.
    public init(_ passes: @escaping Condition) {
        name = nil
        self.passes = passes
    }

    /// A guard with a name.
    public init(_ name: String, _ passes: @escaping Condition) {
        self.name = name
        self.passes = passes
    }

    /// A guard with a name, to be written where one is wanted: `when: .named("paid") { … }`.
    public static func named(_ name: String, _ passes: @escaping Condition) -> RouteGuard {
        RouteGuard(name, passes)
    }

    /// A guard without a name, to be written where one is wanted: `when: .passes { … }`.
    public static func passes(_ passes: @escaping Condition) -> RouteGuard { RouteGuard(passes) }
}
