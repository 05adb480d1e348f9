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
    /// Examples of events as JSON, as clients send them, in the order of ``events``.
    public private(set) var examples: [(event: String, values: [[UInt8]])] = []
    /// Whether the machine has more states, events or transitions than there is room for.
    public private(set) var isPartial = false

    private var known: Set<Transition> = []
    private var knownStates: Set<String> = []
    private var knownEvents: Set<String> = []
    /// The places of events in ``examples``.
    private var examplePlaces: [String: Int] = [:]
    private var exampleBytes = 0
    /// The state in which the instance is, if the description is of one.
    private var active: String?
    /// The drawing of the machine's table, which is better than one of its transitions.
    private var drawing: StateDiagram?

    /// Of a machine that nothing is known of.
    public init() {}

    /// The description of a machine that knows its diagram, such as one with a table of routes.
    ///
    /// - Parameters:
    ///   - drawing: The diagram, with the active states of an instance if it is of one.
    ///   - events: The names of its events.
    ///   - isPartial: Whether the diagram is only the beginning of the machine.
    package init(_ drawing: StateDiagram, events: [String], isPartial: Bool = false) {
        self.drawing = drawing
        self.isPartial = isPartial
        for event in events { add(event: event) }
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
            switch node.kind {
            case .state, .final: add(state: path + node.label)
            case .terminal: add(state: path + node.label, isTerminal: true)
            case .any, .computed, .history: break
            }
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
        if !knownStates.contains(name) {
            guard states.count < Self.statesMax else {
                isPartial = true
                return false
            }
            knownStates.insert(name)
            states.append(name)
        }
        if isTerminal { terminal.insert(name) }
        if isInitial { initial = name }
        return true
    }

    mutating func add(event name: String) {
        guard !knownEvents.contains(name) else { return }
        guard events.count < Self.statesMax else { return isPartial = true }
        knownEvents.insert(name)
        events.append(name)
    }

    /// Adds an example of an event, unless there are too many.
    ///
    /// - Parameters:
    ///   - json: The event as a client sends it.
    ///   - name: Its name.
    /// - Returns: Whether it is among the examples now.
    @discardableResult
    package mutating func add(example json: [UInt8], ofEvent name: String) -> Bool {
        let place = examplePlaces[name]
        guard exampleBytes + json.count <= Self.exampleBytesMax,
            place != nil || examples.count < Self.statesMax
        else {
            isPartial = true
            return false
        }
        exampleBytes += json.count
        if let place {
            examples[place].values.append(json)
        } else {
            examplePlaces[name] = examples.count
            examples.append((name, [json]))
        }
        return true
    }

    /// Marks the state in which an instance is.
    mutating func activate(_ name: String?) { active = name }

    /// Marks the state in which another description of the machine begins, if the drawing has it.
    mutating func activate(initialOf other: MachineDescription) {
        guard let id = other.drawing?.initial,
            let label = drawing?.node(id)?.label, label == other.drawing?.node(id)?.label
        else { return }
        drawing = drawing?.active([id])
    }

    mutating func add(from: String, event: String, to: String) {
        guard add(state: from), add(state: to) else { return }
        keep(Transition(from: from, event: event, to: to, isObserved: false))
    }

    private mutating func keep(_ transition: Transition) {
        guard !known.contains(transition) else { return }
        guard transitions.count < Self.transitionsMax else { return isPartial = true }
        known.insert(transition)
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
        guard add(state: to, isTerminal: isTerminal), let from, knownStates.contains(from)
        else { return }
        let declared = Transition(from: from, event: event, to: to, isObserved: false)
        guard !known.contains(declared) else { return }
        keep(Transition(from: from, event: event, to: to, isObserved: true))
    }

    /// Whether a drawing of its own says everything.
    public var isComplete: Bool { drawing != nil }

    /// Adds what a definition knows of its types: their names, unless there is a drawing, and the
    /// events without values as their own examples.
    public mutating func add(_ takes: [TakenEvent], states: [String]) {
        for taken in takes {
            let name = taken.event.name
            if drawing == nil { add(event: name) }
            guard !taken.isInternal else {
                removeExamples(ofEvent: name)
                continue
            }
            guard taken.event.members.isEmpty, examplePlaces[name] == nil else { continue }
            var writer = JSONWriter()
            writer.object { $0.member("type", name) }
            add(example: writer.bytes, ofEvent: name)
        }
        guard drawing == nil else { return }
        for state in states { add(state: state) }
    }

    private mutating func removeExamples(ofEvent name: String) {
        guard let place = examplePlaces[name] else { return }
        examples.remove(at: place)
        examplePlaces = [:]
        for (place, example) in examples.enumerated() { examplePlaces[example.event] = place }
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
                    kind: terminal.contains(state) ? .terminal : .state,
                    isActive: state == active))
        }
        diagram.initial = initial.flatMap { ids[$0] }
        for transition in transitions {
            guard let from = ids[transition.from], let to = ids[transition.to] else { continue }
            diagram.links.append(
                StateDiagram.Link(
                    from: from, to: to, transition.isObserved ? .observed : .event,
                    event: transition.event, note: transition.isObserved ? "observed" : nil))
        }
        return diagram
    }
}
