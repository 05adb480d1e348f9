/// A transition of a definition.
struct Transition: Sendable {
    /// The domain of a transition without targets: nothing is left.
    static let noDomain: Int32 = -2
    /// The document around the machine: everything is left.
    static let document: Int32 = -1

    let source: Int32
    /// The descriptors as they are written; none for `always` and `after`.
    var descriptors: [String] = []
    var condition: ChartExpression?
    var targets: [Int32] = []
    /// Whether a target is a history state: then the domain depends on the state.
    var targetsHistory = false
    /// Whether the source is left even if all targets lie within it.
    var reenters = false
    /// The state whose active descendants are left (SCXML appendix D, `getTransitionDomain`).
    var domain = noDomain
    var actions: [Action] = []
    /// The JSON path.
    let path: String
}
