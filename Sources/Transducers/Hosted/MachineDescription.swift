import OrderedJSON

/// What is known of a machine by name: its states, its events, and which event leads from where to
/// where.
public struct MachineDescription: Sendable {
    /// One way from a state to a state.
    public struct Transition: Hashable, Sendable {
        /// The state before.
        public let from: String
        /// The event.
        public let event: String
        /// The state after.
        public let to: String
        /// Whether all that is known of it is that it has happened.
        public let isObserved: Bool
    }

    /// The state a new instance is in.
    public private(set) var initial: String?
    /// The states, the initial one first, then in the order in which they were found.
    public private(set) var states: [String] = []
    /// The events, in the order in which they were declared or found.
    public private(set) var events: [String] = []
    /// The transitions, in the order in which they were found.
    public private(set) var transitions: [Transition] = []
    /// The states in which nothing more is taken.
    public private(set) var terminal: Set<String> = []

    private var known: Set<Transition> = []
    /// The drawing of the machine's table, which is better than one of its transitions.
    private var drawing: StateDiagram?

    /// Of a machine that nothing is known of.
    public init() {}

    /// The description of a machine that knows its diagram, such as one with a table of routes.
    package init(_ drawing: StateDiagram, events: [String]) {
        self.drawing = drawing
        self.events = events
        var labels: [String: String] = [:]
        record(drawing.nodes, drawing.groups, path: "", &labels)
        initial = drawing.initial.flatMap { labels[$0] }
        record(drawing.links, drawing.groups, labels)
    }

    private mutating func record(
        _ nodes: [StateDiagram.Node], _ groups: [StateDiagram.Group], path: String,
        _ labels: inout [String: String]
    ) {
        for node in nodes {
            labels[node.id] = path + node.label
            guard node.kind == .state || node.kind == .terminal else { continue }
            add(state: path + node.label, isTerminal: node.kind == .terminal)
        }
        for group in groups {
            record(group.nodes, group.groups, path: "\(path)\(group.label) / ", &labels)
        }
    }

    private mutating func record(
        _ links: [StateDiagram.Link], _ groups: [StateDiagram.Group], _ labels: [String: String]
    ) {
        for link in links {
            guard let from = labels[link.from], let to = labels[link.to] else { continue }
            keep(Transition(from: from, event: link.label, to: to, isObserved: false))
        }
        for group in groups { record(group.links, group.groups, labels) }
    }

    // MARK: Building

    /// Adds a state, unless there are too many.
    ///
    /// - Returns: Whether it is among the states now.
    @discardableResult
    mutating func add(state name: String, isTerminal: Bool = false, isInitial: Bool = false) -> Bool
    {
        if !states.contains(name) {
            guard states.count < Self.statesMax else { return false }
            states.append(name)
        }
        if isTerminal { terminal.insert(name) }
        if isInitial { initial = name }
        return true
    }

    mutating func add(event name: String) {
        if !events.contains(name), events.count < Self.statesMax { events.append(name) }
    }

    mutating func add(from: String, event: String, to: String) {
        guard add(state: from), add(state: to) else { return }
        keep(Transition(from: from, event: event, to: to, isObserved: false))
    }

    private mutating func keep(_ transition: Transition) {
        guard transitions.count < Self.transitionsMax, known.insert(transition).inserted else {
            return
        }
        transitions.append(transition)
    }

    /// Notes the state in which an instance began, unless that is known.
    public mutating func observe(initial name: String) {
        guard drawing == nil, initial == nil, add(state: name) else { return }
        initial = name
    }

    /// Adds a transition that has happened, unless it is known.
    ///
    /// - Parameters:
    ///   - from: The state before; `nil` where it isn't known: then only the others are noted.
    ///   - event: The event.
    ///   - to: The state after, which is where it ended if `isTerminal`.
    ///   - isTerminal: Whether nothing more is taken then.
    public mutating func observe(
        from: String?, event: String, to: String, isTerminal: Bool
    ) {
        // A table says everything there is.
        guard drawing == nil else { return }
        add(event: event)
        if let from { add(state: from) }
        guard add(state: to, isTerminal: isTerminal), let from, states.contains(from) else {
            return
        }
        let declared = Transition(from: from, event: event, to: to, isObserved: false)
        guard !known.contains(declared) else { return }
        keep(Transition(from: from, event: event, to: to, isObserved: true))
    }

    /// Whether a drawing of its own says everything.
    public var isComplete: Bool { drawing != nil }

    /// Adds what a definition knows of its types, unless there is a drawing.
    public mutating func add(_ takes: [TakenEvent], states: [String]) {
        guard drawing == nil else { return }
        for taken in takes { add(event: taken.event.name) }
        for state in states { add(state: state) }
    }

    // MARK: Drawing

    /// The drawing. Where no state is known it is one note that says so.
    public var diagram: StateDiagram {
        if let drawing { return drawing }
        var diagram = StateDiagram()
        guard !states.isEmpty else {
            diagram.nodes = [
                StateDiagram.Node(
                    id: "s0", label: "nothing is known of this machine's states", kind: .any)
            ]
            return diagram
        }
        var ids: [String: String] = [:]
        for (index, state) in states.enumerated() {
            ids[state] = "s\(index)"
            diagram.nodes.append(
                StateDiagram.Node(
                    id: "s\(index)", label: state,
                    kind: terminal.contains(state) ? .terminal : .state))
        }
        diagram.initial = initial.flatMap { ids[$0] }
        for transition in transitions {
            guard let from = ids[transition.from], let to = ids[transition.to] else { continue }
            let label = transition.event + (transition.isObserved ? " (observed)" : "")
            diagram.links.append(
                StateDiagram.Link(
                    from: from, to: to, label: label, isComputed: transition.isObserved))
        }
        return diagram
    }
}
