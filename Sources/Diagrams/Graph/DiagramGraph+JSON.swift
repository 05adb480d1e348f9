public import OrderedJSON

extension DiagramGraph {
    /// The graph that a server describes: the member `graph` of the reply to `describe`
    /// (protocol.md), with its ids. A kind that this release doesn't know is drawn as a state or
    /// an event, and what isn't as that page says is left out.
    ///
    /// The graph of a ``StateDiagram`` is equal to the one that is read from its description.
    public init(describing graph: JSONObject) {
        self.init()
        nodes = (graph["nodes"]?.array ?? []).compactMap(Node.init)
        let parents = Dictionary(
            nodes.map { ($0.id, $0.parent) }, uniquingKeysWith: { first, _ in first })
        for item in graph["edges"]?.array ?? [] {
            guard let edge = Edge(item) else { continue }
            // The child that a state begins with is marked, and needs no edge.
            if edge.kind == .initial, parents[edge.to] == edge.from { continue }
            edges.append(edge)
        }
    }

    /// The ids of the nodes in which the instance is whose graph was described.
    public static func active(describing graph: JSONObject) -> Set<String> {
        Set(
            (graph["nodes"]?.array ?? []).compactMap { node in
                node["active"]?.bool == true ? node["id"]?.string : nil
            })
    }
}

extension DiagramGraph.Node {
    fileprivate init?(_ item: JSONValue) {
        guard let id = item["id"]?.string else { return nil }
        self.init(
            id: id, parent: item["parent"]?.string,
            kind: item["kind"]?.string.flatMap(Kind.init(rawValue:)) ?? .atomic,
            label: item["label"]?.string ?? "", isInitial: item["initial"]?.bool ?? false)
    }
}

extension DiagramGraph.Edge {
    fileprivate init?(_ item: JSONValue) {
        guard let id = item["id"]?.string, let from = item["from"]?.string,
            let to = item["to"]?.string
        else { return nil }
        let event = item["event"]?.string ?? ""
        let kind: Kind
        switch item["kind"]?.string ?? "" {
        case "event": kind = Kind(event: event)
        case "move": kind = .computed
        case let other: kind = Kind(rawValue: other) ?? .external
        }
        self.init(
            id: id, from: from, to: to, event: event, guardText: item["guard"]?.string, kind: kind)
    }
}
