extension StateDiagram {
    /// The text for Mermaid, a `stateDiagram-v2`, ending in a newline.
    ///
    /// Mermaid has no dashed arrows between states: those that a closure computed are told by the
    /// name of the mapping. Nor can it draw an arrow from inside one composite state into another:
    /// a diagram with such an arrow is written flat, its states called `region / state`.
    public var mermaid: String {
        let isFlat = hasLinkBetweenGroups
        var lines = ["stateDiagram-v2"]
        if isFlat {
            Self.appendFlat(groups, nodes, path: "", to: &lines)
        } else {
            Self.append(groups, nodes, to: &lines, indent: "    ")
        }
        if let initial { lines.append("    [*] --> \(initial)") }
        lines += links.map { "    \(Self.mermaid($0))" }
        lines += nodes.filter { $0.kind == .terminal }.map { "    \($0.id) --> [*]" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whether a link joins states inside two groups, neither of which is around the other.
    private var hasLinkBetweenGroups: Bool {
        var places: [String: [String]] = [:]
        func note(_ nodes: [Node], _ groups: [Group], _ path: [String]) {
            for node in nodes { places[node.id] = path }
            for group in groups { note(group.nodes, group.groups, path + [group.id]) }
        }
        note(nodes, groups, [])
        func joinsGroups(_ link: Link) -> Bool {
            let from = places[link.from] ?? []
            let to = places[link.to] ?? []
            return !from.starts(with: to) && !to.starts(with: from)
        }
        func hasOne(_ links: [Link], _ groups: [Group]) -> Bool {
            links.contains(where: joinsGroups) || groups.contains { hasOne($0.links, $0.groups) }
        }
        return hasOne(links, groups)
    }

    private static func appendFlat(
        _ groups: [Group], _ nodes: [Node], path: String, to lines: inout [String]
    ) {
        for node in nodes {
            lines.append("    state \"\(mermaid(path + node.label))\" as \(node.id)")
        }
        for group in groups {
            appendFlat(group.groups, group.nodes, path: "\(path)\(group.label) / ", to: &lines)
            lines += group.links.map { "    \(mermaid($0))" }
            let terminal = group.nodes.filter { $0.kind == .terminal }
            lines += terminal.map { "    \($0.id) --> [*]" }
        }
    }

    private static func append(
        _ groups: [Group], _ nodes: [Node], to lines: inout [String], indent: String
    ) {
        for node in nodes {
            lines.append("\(indent)state \"\(mermaid(node.label))\" as \(node.id)")
        }
        for group in groups {
            lines.append("\(indent)state \"\(mermaid(group.label))\" as \(group.id) {")
            let inner = indent + "    "
            append(group.groups, group.nodes, to: &lines, indent: inner)
            lines += group.links.map { inner + mermaid($0) }
            let terminal = group.nodes.filter { $0.kind == .terminal }
            lines += terminal.map { "\(inner)\($0.id) --> [*]" }
            lines.append("\(indent)}")
        }
    }

    private static func mermaid(_ link: Link) -> String {
        let label = link.label.isEmpty ? "" : " : \(mermaid(link.label))"
        return "\(link.from) --> \(link.to)\(label)"
    }

    /// A label without what Mermaid would read as its own syntax.
    private static func mermaid(_ label: String) -> String {
        var text = ""
        for character in label {
            switch character {
            case "#": text += "#35;"
            case ";": text += "#59;"
            case ":": text += "#58;"
            case "\"": text += "#quot;"
            case _ where character.isNewline: text += " "
            default: text.append(character)
            }
        }
        return text
    }
}
