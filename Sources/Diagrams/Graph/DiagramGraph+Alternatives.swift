extension DiagramGraph {
    /// The graph with the guard `else` on each edge without one that is taken when none of the
    /// guards before it holds, for the same event in the same state.
    func namingAlternatives() -> DiagramGraph {
        struct Cause: Hashable {
            let from: String
            let event: String
            let kind: Edge.Kind
        }
        var graph = self
        var guarded: Set<Cause> = []
        for index in edges.indices where edges[index].hasAlternatives {
            let edge = edges[index]
            // One that leaves its state and one that doesn't are tried in one turn.
            let kind = edge.kind == .internal ? .external : edge.kind
            let cause = Cause(from: edge.from, event: edge.event, kind: kind)
            if edge.guardText != nil {
                guarded.insert(cause)
            } else if guarded.contains(cause) {
                graph.edges[index].guardText = "else"
            }
        }
        return graph
    }
}

extension DiagramGraph.Edge {
    /// Whether its definition tries it in turn with others of its cause.
    fileprivate var hasAlternatives: Bool {
        switch kind {
        case .always: true
        case .external, .internal, .after, .done, .error: !event.isEmpty
        case .initial, .computed, .observed: false
        }
    }
}
