/// A condition of a route, as a value with a name.
///
/// The name is in refusals and diagrams, and shows whether a route is declared twice, because
/// closures can't be compared. A guard is called at most once per route and attempt, before the
/// change, and must depend on the context only.
public struct RouteGuard<State: StateType, Event: EventType>: Sendable {
    /// The condition itself.
    public typealias Condition = @Sendable (RouteContext<State, Event>) -> Bool

    /// The name, if it has one.
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

    /// A guard with a name, as in `when: .named("paid") { … }`.
    public static func named(_ name: String, _ passes: @escaping Condition) -> RouteGuard {
        RouteGuard(name, passes)
    }

    /// A guard without a name, as in `when: .passes { … }`.
    public static func passes(_ passes: @escaping Condition) -> RouteGuard { RouteGuard(passes) }
}
