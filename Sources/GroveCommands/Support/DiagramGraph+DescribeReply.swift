import Diagrams
import GroveClient

extension DiagramGraph {
    /// The graph that a server sent. A kind that this release doesn't know is drawn as a state or
    /// an event.
    init(_ graph: DescribeReply.Graph) {
        self.init(
            nodes: graph.nodes.map { node in
                Node(
                    id: node.id, parent: node.parent,
                    kind: Node.Kind(rawValue: node.kind) ?? .atomic, label: node.label,
                    isInitial: node.isInitial)
            })
        let parents = Dictionary(
            graph.nodes.map { ($0.id, $0.parent) }, uniquingKeysWith: { first, _ in first })
        // The child that a state begins with is marked, and needs no edge.
        edges = graph.edges.filter { $0.kind != "initial" || parents[$0.to] != $0.from }.map {
            Edge(
                id: $0.id, from: $0.from, to: $0.to, event: $0.event ?? "",
                guardText: $0.condition, kind: Edge.Kind($0))
        }
    }

    /// The ids of the nodes in which the instance is that was asked for.
    static func active(in graph: DescribeReply.Graph) -> Set<String> {
        Set(graph.nodes.filter(\.isActive).map(\.id))
    }
}

extension DiagramGraph.Edge.Kind {
    fileprivate init(_ edge: DescribeReply.Graph.Edge) {
        let event = edge.event ?? ""
        switch edge.kind {
        case "event" where event.hasPrefix("done."): self = .done
        case "event" where event.hasPrefix("error."): self = .error
        case "event": self = .external
        case "move": self = .computed
        default: self = Self(rawValue: edge.kind) ?? .external
        }
    }
}
