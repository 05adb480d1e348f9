extension StateDiagram {
    /// The text for Graphviz, a `digraph`, ending in a newline. Regions are clusters, and
    /// computed arrows are dashed.
    public var dot: String {
        var lines = ["digraph routes {", "    rankdir=LR;", "    node [shape=box, style=rounded];"]
        Self.appendDot(groups, nodes, to: &lines, indent: "    ")
        if let initial {
            lines.append("    initial [shape=point, label=\"\"];")
            lines.append("    initial -> \(initial);")
        }
        lines += links.map { "    \(Self.dot($0))" }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func appendDot(
        _ groups: [Group], _ nodes: [Node], to lines: inout [String], indent: String
    ) {
        for node in nodes {
            lines.append("\(indent)\(node.id) [label=\"\(dot(node.label))\"\(style(node))];")
        }
        for group in groups {
            lines.append("\(indent)subgraph cluster_\(group.id) {")
            let inner = indent + "    "
            lines.append("\(inner)label=\"\(dot(group.label))\";")
            appendDot(group.groups, group.nodes, to: &lines, indent: inner)
            lines += group.links.map { inner + dot($0) }
            lines.append("\(indent)}")
        }
    }

    private static func style(_ node: Node) -> String {
        var text =
            switch node.kind {
            case .state: ""
            case .terminal, .final: ", peripheries=2"
            case .any: ", shape=plaintext"
            case .computed: ", style=dashed"
            case .history: ", shape=circle"
            }
        if node.isDeadEnd { text += ", style=\"rounded,filled\"" }
        if node.isUnreachable { text += ", style=\"rounded,dashed\"" }
        if node.isActive { text += ", style=\"rounded,filled\", fillcolor=gold, penwidth=2" }
        return text
    }

    private static func dot(_ link: Link) -> String {
        let style = link.isComputed ? ", style=dashed" : ""
        return "\(link.from) -> \(link.to) [label=\"\(dot(link.label))\"\(style)];"
    }

    private static func dot(_ label: String) -> String {
        // An ampersand may begin the name of a character.
        escape(label, ["\"": "\\\"", "\\": "\\\\", "&": "&amp;"])
    }
}
