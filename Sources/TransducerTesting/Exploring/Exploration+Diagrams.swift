import Transducers

extension Exploration {
    /// The machine as a state diagram of Mermaid (`stateDiagram-v2`): an arrow for each transition,
    /// and unreachable states without arrows.
    public var mermaid: String { diagram.mermaid }

    /// The machine as a graph of Graphviz' DOT language: final states with a double line, dead
    /// ends filled, states that can't be reached dashed.
    public var dot: String { diagram.dot }

    /// The diagram, in the form that tables of routes and the op `describe` use too.
    private var diagram: StateDiagram {
        // The reachable states, and after them the others.
        let states = reachable + unreachable
        let dead = Set(deadEnds)
        var ids: [Machine.State: String] = [:]
        var nodes: [StateDiagram.Node] = []
        for (index, state) in states.enumerated() {
            let id = "s\(index)"
            if ids[state] == nil { ids[state] = id }
            nodes.append(
                StateDiagram.Node(
                    id: id, label: ValueText.label(state),
                    kind: state.isTerminal ? .terminal : .state,
                    isUnreachable: index >= reachable.count, isDeadEnd: dead.contains(state)))
        }
        let links = transitions.compactMap { transition -> StateDiagram.Link? in
            guard let from = ids[transition.from], let to = ids[transition.to] else { return nil }
            return StateDiagram.Link(
                from: from, to: to, event: ValueText.label(transition.event))
        }
        return StateDiagram(nodes: nodes, links: links, initial: "s0")
    }
}
