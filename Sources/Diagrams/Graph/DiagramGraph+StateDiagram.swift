public import Transducers

extension DiagramGraph {
    /// The graph of a machine's diagram: of a table of routes, an exploration, a chart, or what
    /// `describe` found.
    ///
    /// Ids are those of the member `graph` of `describe` (protocol.md), so a page that has one can
    /// find its nodes and edges in the other. What only marks a beginning, such as the way from a
    /// compound state to its first child, is no edge here: the child is initial.
    public init(_ diagram: StateDiagram) {
        self.init()
        append(diagram.nodes, diagram.groups, parent: nil)
        let parents = Dictionary(
            nodes.map { ($0.id, $0.parent) }, uniquingKeysWith: { first, _ in first })
        var initial = Set([diagram.initial].compactMap { $0 })
        for (number, link) in diagram.allLinks.enumerated() {
            if link.kind == .initial, parents[link.to] == link.from {
                initial.insert(link.to)
            } else {
                edges.append(Edge(link, id: "e\(number)"))
            }
        }
        for index in nodes.indices { nodes[index].isInitial = initial.contains(nodes[index].id) }
    }

    /// The ids of the nodes in which an instance is.
    public static func active(in diagram: StateDiagram) -> Set<String> {
        var groups = diagram.groups[...]
        var active = Set(diagram.nodes.filter(\.isActive).map(\.id))
        while let group = groups.popFirst() {
            active.formUnion(group.nodes.filter(\.isActive).map(\.id))
            groups += group.groups
        }
        return active
    }

    /// Groups are as deep as a machine's regions, which its code or its definition bounds.
    private mutating func append(
        _ inside: [StateDiagram.Node], _ groups: [StateDiagram.Group], parent: String?
    ) {
        for node in inside where node.id != parent {
            nodes.append(
                Node(id: node.id, parent: parent, kind: Node.Kind(node.kind), label: node.label))
        }
        for group in groups {
            let own = group.nodes.first { $0.id == group.own }
            let id = own?.id ?? group.id
            nodes.append(
                Node(
                    id: id, parent: parent, kind: Node.Kind(group.kind),
                    label: own?.label ?? group.label))
            append(group.nodes, group.groups, parent: id)
        }
    }
}

extension DiagramGraph.Node.Kind {
    fileprivate init(_ kind: StateDiagram.Node.Kind) {
        switch kind {
        case .state: self = .atomic
        case .terminal, .final: self = .final
        case .any: self = .any
        case .computed: self = .computed
        case .history(let isDeep): self = isDeep ? .deepHistory : .history
        }
    }

    fileprivate init(_ kind: StateDiagram.Group.Kind) {
        switch kind {
        case .region: self = .region
        case .compound: self = .compound
        case .parallel: self = .parallel
        }
    }
}

extension DiagramGraph.Edge {
    fileprivate init(_ link: StateDiagram.Link, id: String) {
        let kind: Kind
        switch link.kind {
        case .event: kind = Kind(event: link.event)
        case .after: kind = .after
        case .always: kind = .always
        case .initial: kind = .initial
        case .move, .computed: kind = .computed
        case .observed: kind = .observed
        }
        // An arrow without an event is always taken: the word would only be in the way.
        let isSilent = link.kind == .always || link.kind == .initial
        self.init(
            id: id, from: link.from, to: link.to, event: isSilent ? "" : link.event,
            guardText: link.condition, kind: kind)
    }
}

extension DiagramGraph.Edge.Kind {
    /// The kind of an edge that an event takes (SCXML 3.12.1 and 3.13).
    init(event: String) {
        if event.hasPrefix("done.") {
            self = .done
        } else {
            self = event.hasPrefix("error.") || event == "error" ? .error : .external
        }
    }
}
