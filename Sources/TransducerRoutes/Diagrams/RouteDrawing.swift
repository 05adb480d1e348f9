/// A diagram in the making.
struct RouteDrawing<State: StateType, Event: EventType, Output> {
    let table: RouteTable<State, Event, Output>
    /// The prefix of ids, so that those of nested tables differ.
    let prefix: String
    var diagram = StateDiagram()

    init(table: RouteTable<State, Event, Output>, prefix: String) {
        self.table = table
        self.prefix = prefix
        for (number, region) in table.storage.regions.enumerated() {
            let id = "\(prefix)r\(number)"
            let inner = region.diagram(id)
            diagram.groups.append(
                StateDiagram.Group(
                    id: id, label: region.name, nodes: inner.nodes, links: inner.links,
                    groups: inner.groups))
        }
    }

    /// Draws everything; if states or events are unknown, mappings are drawn as one arrow each.
    mutating func draw(states: [State]?, events: [Event]?) {
        for state in states ?? table.mentionedStates() { _ = node(for: state) }
        for edge in table.edges() {
            switch edge.origin {
            case .route: link(edge)
            case .region: break
            case .request, .mapping, .stateMapping:
                if states == nil || events == nil { linkComputed(edge) }
            }
        }
        guard let states, let events else { return }
        for edge in table.edges(states: states, events: events) where edge.isComputed {
            link(edge)
        }
    }

    // MARK: Nodes

    /// The id of the node of a state: inside the first region that is active there.
    mutating func node(for state: State) -> String {
        let kind: StateDiagram.Node.Kind = table.isTerminal(state) ? .terminal : .state
        for (number, region) in table.storage.regions.enumerated() {
            guard let label = region.innerLabel(state) else { continue }
            let id = "\(prefix)r\(number)"
            return Self.node(label, kind, prefix: id, among: &diagram.groups[number].nodes)
        }
        return Self.node(RouteLabel.of(state), kind, prefix: prefix, among: &diagram.nodes)
    }

    private static func node(
        _ label: String, _ kind: StateDiagram.Node.Kind, prefix: String,
        among nodes: inout [StateDiagram.Node]
    ) -> String {
        if let node = nodes.first(where: {
            $0.label == label && ($0.kind == kind || Set([kind, $0.kind]) == [.state, .terminal])
        }) {
            return node.id
        }
        let id = "\(prefix)s\(nodes.count)"
        nodes.append(StateDiagram.Node(id: id, label: label, kind: kind))
        return id
    }

    private mutating func special(_ label: String, _ kind: StateDiagram.Node.Kind) -> String {
        Self.node(label, kind, prefix: prefix, among: &diagram.nodes)
    }

    // MARK: Links

    private mutating func link(_ edge: RouteEdge<State, Event>) {
        let from = begin(of: edge)
        let to: String
        switch edge.destination {
        case .state(let state): to = node(for: state)
        case .stay: to = from
        case .anywhere: to = special("any", .any)
        case .computed: to = special("computed", .computed)
        }
        diagram.links.append(edge.link(from: from, to: to))
    }

    private mutating func linkComputed(_ edge: RouteEdge<State, Event>) {
        let from = special("any", .any)
        diagram.links.append(edge.link(from: from, to: special("computed", .computed)))
    }

    private mutating func begin(of edge: RouteEdge<State, Event>) -> String {
        if let state = edge.fromState.rawValue { return node(for: state) }
        guard let name = edge.region,
            let number = table.storage.regions.firstIndex(where: { $0.name == name })
        else { return special("any", .any) }
        return Self.node(
            "any of \(name)", .any, prefix: "\(prefix)r\(number)",
            among: &diagram.groups[number].nodes)
    }
}
