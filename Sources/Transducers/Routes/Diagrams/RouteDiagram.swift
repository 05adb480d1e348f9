/// A drawing of a table: what ``RouteTable/diagram(initial:states:events:)`` makes, to be written
/// as Mermaid or for Graphviz. The same table gives the same text in every process.
public struct RouteDiagram: Hashable, Sendable {
    /// A state, or one of the two that stand for many.
    public struct Node: Hashable, Sendable {
        /// What the node stands for.
        public enum Kind: Hashable, Sendable {
            /// A state.
            case state
            /// A state that takes no more events.
            case terminal
            /// Any state, or any of a region.
            case any
            /// Whatever a closure computes.
            case computed
        }

        /// What links call it.
        public let id: String
        /// What is shown.
        public let label: String
        /// What it stands for.
        public let kind: Kind
    }

    /// An arrow.
    public struct Link: Hashable, Sendable {
        /// The id of the node it begins at.
        public let from: String
        /// The id of the node it ends at.
        public let to: String
        /// The event and, in brackets, the guard.
        public let label: String
        /// Whether a closure computed it.
        public let isComputed: Bool
    }

    /// A nested region.
    public struct Group: Hashable, Sendable {
        /// What it is called in the text.
        public let id: String
        /// What is shown.
        public let label: String
        /// What is inside.
        public internal(set) var nodes: [Node]
        /// The arrows inside.
        public internal(set) var links: [Link]
        /// The regions inside.
        public internal(set) var groups: [Group]
    }

    /// The states outside of regions.
    public internal(set) var nodes: [Node] = []
    /// The arrows between states, of which either may be inside a region.
    public internal(set) var links: [Link] = []
    /// The regions.
    public internal(set) var groups: [Group] = []
    /// The id of the node the machine begins at, if it was given.
    public internal(set) var initial: String?
}

// MARK: Mermaid

extension RouteDiagram {
    /// The text for Mermaid, a `stateDiagram-v2`, ending in a newline. Mermaid has no dashed
    /// arrows between states: those that a closure computes are told by the name of the mapping.
    public var mermaid: String {
        var lines = ["stateDiagram-v2"]
        Self.append(groups, nodes, to: &lines, indent: "    ")
        if let initial { lines.append("    [*] --> \(initial)") }
        lines += links.map { "    \(Self.mermaid($0))" }
        lines += nodes.filter { $0.kind == .terminal }.map { "    \($0.id) --> [*]" }
        return lines.joined(separator: "\n") + "\n"
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

// MARK: Graphviz

extension RouteDiagram {
    /// The text for Graphviz, a `digraph`, ending in a newline. Regions are clusters, and what a
    /// closure computed is dashed.
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
            let style =
                switch node.kind {
                case .state: ""
                case .terminal: ", peripheries=2"
                case .any: ", shape=plaintext"
                case .computed: ", style=dashed"
                }
            lines.append("\(indent)\(node.id) [label=\"\(dot(node.label))\"\(style)];")
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

    private static func dot(_ link: Link) -> String {
        let style = link.isComputed ? ", style=dashed" : ""
        return "\(link.from) -> \(link.to) [label=\"\(dot(link.label))\"\(style)];"
    }

    private static func dot(_ label: String) -> String {
        var text = ""
        for character in label {
            switch character {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where character.isNewline: text += " "
            default: text.append(character)
            }
        }
        return text
    }
}
