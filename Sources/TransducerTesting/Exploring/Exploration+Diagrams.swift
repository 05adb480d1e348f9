import Transducers

extension Exploration {
    /// The machine as a state diagram of Mermaid (`stateDiagram-v2`): an arrow for each
    /// transition that changes the state or says something, and states that can't be reached
    /// without arrows.
    public var mermaid: String {
        var lines = ["stateDiagram-v2"]
        for (index, state) in nodes.enumerated() {
            lines.append("    state \"\(mermaidText(ValueText.label(state)))\" as s\(index)")
        }
        lines.append("    [*] --> s0")
        for arrow in arrows {
            lines.append("    s\(arrow.from) --> s\(arrow.to) : \(mermaidText(arrow.label))")
        }
        for (index, state) in nodes.enumerated() where state.isTerminal {
            lines.append("    s\(index) --> [*]")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The machine as a graph of Graphviz' DOT language: final states with a double line, dead
    /// ends filled, states that can't be reached dashed.
    public var dot: String {
        var lines = ["digraph {", "    start [shape=point]"]
        for (index, state) in nodes.enumerated() {
            var attributes = "label=\"\(dotText(ValueText.label(state)))\""
            if state.isTerminal { attributes += ", peripheries=2" }
            if deadEnds.contains(state) { attributes += ", style=filled" }
            if index >= reachable.count { attributes += ", style=dashed" }
            lines.append("    s\(index) [\(attributes)]")
        }
        lines.append("    start -> s0")
        for arrow in arrows {
            let label = dotText(arrow.label)
            lines.append("    s\(arrow.from) -> s\(arrow.to) [label=\"\(label)\"]")
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    /// The reachable states, and after them the others.
    private var nodes: [Machine.State] { reachable + unreachable }

    private struct Arrow {
        let from: Int
        let to: Int
        let label: String
    }

    /// The transitions by the numbers of their states.
    private var arrows: [Arrow] {
        let pairs = nodes.enumerated().map { ($0.element, $0.offset) }
        let numbers = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        return transitions.compactMap { transition in
            guard let from = numbers[transition.from], let to = numbers[transition.to] else {
                return nil
            }
            return Arrow(from: from, to: to, label: ValueText.label(transition.event))
        }
    }

    /// Mermaid takes quotes and semicolons as its own, and `#` as the beginning of an entity.
    private func mermaidText(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "#": result += "#35;"
            case "\"": result += "#34;"
            case ";": result += "#59;"
            case ":": result += "#58;"
            case "\n": result += " "
            default: result.append(character)
            }
        }
    }

    private func dotText(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
    }
}
