extension StateDiagram {
    /// The text for Mermaid, a `stateDiagram-v2`, ending in a newline.
    ///
    /// Mermaid has no dashed arrows between states: computed ones have the name of their mapping.
    /// Nor can it draw an arrow from the inside of one composite state to the inside of another: a
    /// diagram with such an arrow is flat, with the states named `region / state`.
    public var mermaid: String {
        var lines = ["stateDiagram-v2"]
        Self.append(
            groups, nodes, to: &lines, indent: "    ", path: hasLinkBetweenGroups ? "" : nil)
        if let initial { lines.append("    [*] --> \(initial)") }
        lines += links.map { "    \(Self.mermaid($0))" }
        lines += nodes.filter { $0.kind == .terminal }.map { "    \($0.id) --> [*]" }
        let active = Self.active(groups, nodes)
        if !active.isEmpty {
            lines.append("    classDef active fill:gold,stroke-width:2px")
            lines.append("    class \(active.joined(separator: ",")) active")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The ids of the states in which an instance is.
    private static func active(_ groups: [Group], _ nodes: [Node]) -> [String] {
        nodes.filter(\.isActive).map(\.id) + groups.flatMap { active($0.groups, $0.nodes) }
    }

    /// Whether a link joins states inside two groups, neither of which is around the other.
    private var hasLinkBetweenGroups: Bool {
        var places: [String: [String]] = [:]
        func record(_ nodes: [Node], _ groups: [Group], _ path: [String]) {
            for node in nodes { places[node.id] = path }
            for group in groups { record(group.nodes, group.groups, path + [group.id]) }
        }
        record(nodes, groups, [])
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

    /// Appends states and groups.
    ///
    /// - Parameter path: The prefix of labels in a flat diagram; `nil` for nested groups.
    private static func append(
        _ groups: [Group], _ nodes: [Node], to lines: inout [String], indent: String, path: String?
    ) {
        for node in nodes {
            lines.append("\(indent)state \"\(mermaid((path ?? "") + node.label))\" as \(node.id)")
        }
        for group in groups {
            if path == nil {
                lines.append("\(indent)state \"\(mermaid(group.label))\" as \(group.id) {")
            }
            let inner = path == nil ? indent + "    " : indent
            append(
                group.groups, group.nodes, to: &lines, indent: inner,
                path: path.map { "\($0)\(group.label) / " })
            lines += group.links.map { inner + mermaid($0) }
            let terminal = group.nodes.filter { $0.kind == .terminal }
            lines += terminal.map { "\(inner)\($0.id) --> [*]" }
            if path == nil { lines.append("\(indent)}") }
        }
    }

    private static func mermaid(_ link: Link) -> String {
        let label = link.label.isEmpty ? "" : " : \(mermaid(link.label))"
        return "\(link.from) --> \(link.to)\(label)"
    }

    /// A label without the syntax of Mermaid.
    private static func mermaid(_ label: String) -> String {
        escape(label, ["#": "#35;", ";": "#59;", ":": "#58;", "\"": "#quot;"])
    }

    /// A label on one line, with some characters replaced. What controls a terminal, or the
    /// direction of the text around it, is replaced too.
    ///
    /// It goes by scalars: a quote with an accent is a quote for those who read the text.
    static func escape(_ label: String, _ escapes: [Unicode.Scalar: String]) -> String {
        // Most labels are names, in which nothing is escaped.
        if label.utf8.allSatisfy({ $0.isPartOfName }) { return label }
        var text = ""
        for scalar in label.replacing("\r\n", with: "\n").unicodeScalars {
            if let escaped = escapes[scalar] {
                text += escaped
            } else if Character(scalar).isNewline || scalar == "\t" {
                text += " "
            } else if scalar.properties.generalCategory == .control
                || scalar.properties.isBidiControl
            {
                text += "\u{FFFD}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension UInt8 {
    /// Whether this is a letter or digit of ASCII, `_`, `.` or `-`.
    fileprivate var isPartOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
