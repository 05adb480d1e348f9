import CEL

/// A state of a definition.
struct StateNode: Sendable {
    enum Kind: Sendable {
        case atomic
        case compound
        case parallel
        case final
        case shallowHistory
        case deepHistory
    }

    /// The states that are entered by default, with actions.
    struct Initial: Sendable {
        var targets: [Int32] = []
        var actions: [Action] = []
    }

    /// A timer that runs while the state is active.
    struct Timer: Sendable {
        let delay: Literal
        let path: String
        /// The transitions in document order.
        var transitions: [Int32]
    }

    /// The name among the siblings.
    let key: String
    /// The name within the machine.
    var id: String
    var kind: Kind
    /// The state around it; -1 for the machine.
    let parent: Int32
    /// The number of the last descendant; its own number without one.
    var last: Int32
    /// The JSON path.
    let path: String
    /// The children that can be active, in document order.
    var children: [Int32] = []
    /// The history states among the children.
    var histories: [Int32] = []
    /// The default entry; of a history state, the default transition.
    var initial = Initial()
    /// The blocks of actions at entry.
    var entry: [[Action]] = []
    /// The blocks of actions at exit.
    var exit: [[Action]] = []
    /// The transitions with an event, by descriptor.
    var on = EventTable()
    /// The transitions without an event, in document order.
    var always: [Int32] = []
    var timers: [Timer] = []
    /// The invocations, by their numbers.
    var invocations: [Int32] = []
    /// The output of a final state.
    var output: Template?
    /// The descriptors of deferred events.
    var deferred: [Int32] = []
    var tags: [String] = []

    var isHistory: Bool { kind == .shallowHistory || kind == .deepHistory }

    /// Whether it can be active and has no children.
    var isAtomic: Bool { kind == .atomic || kind == .final }
}
