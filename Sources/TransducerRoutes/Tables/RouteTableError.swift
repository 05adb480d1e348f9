/// An invalid declaration, found when a table is made.
public enum RouteTableError: Error, Hashable, Sendable {
    /// The same route twice: with the same event and states, and without guards or with guards of
    /// one name. The second one could never win.
    case duplicateRoute(event: String?, from: String, to: String, guardName: String?)
    /// An arrow from or to an empty list, which allows nothing.
    case noTransition(event: String?)
    /// Two regions of one name.
    case duplicateRegion(String)
}

extension RouteTableError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .duplicateRoute(let event, let from, let to, let guardName):
            let event = event.map { "\($0): " } ?? ""
            let name = guardName.map { " when \($0)" } ?? ""
            return "the route \(event)\(from) => \(to)\(name) is declared twice; remove one, "
                + "or give it a guard with a name of its own"
        case .noTransition(let event):
            return "a route for \(event ?? "a move") has no transition; "
                + "name at least one state on both sides of the arrow"
        case .duplicateRegion(let name):
            return "two regions are called \(name); give each a name of its own"
        }
    }
}
