/// A diagram of a machine's states and transitions, written as Mermaid or for Graphviz. Tables of
/// routes, explorations and the op `describe` make one. The same machine gives the same text in
/// every process.
public struct StateDiagram: Hashable, Sendable {
    /// A state, or a node for many states.
    public struct Node: Hashable, Sendable {
        /// The meaning of a node.
        public enum Kind: Hashable, Sendable {
            /// A state.
            case state
            /// A state that accepts no more events.
            case terminal
            /// A state that completes the state around it.
            case final
            /// Any state, or any of a region.
            case any
            /// The states that a closure computes.
            case computed
            /// Stands for the states that were active when the state around it was last left:
            /// its children, or all states inside if `isDeep`.
            case history(isDeep: Bool)
        }

        /// The id that links use.
        public let id: String
        /// The shown text.
        public let label: String
        /// The meaning.
        public let kind: Kind
        /// Whether it is known to be unreachable. Graphviz dashes it.
        public let isUnreachable: Bool
        /// Whether it is known that it can't be left, although it isn't terminal. Graphviz fills
        /// it.
        public let isDeadEnd: Bool
        /// Whether an instance is in it. Both languages color it.
        public let isActive: Bool

        package init(
            id: String, label: String, kind: Kind, isUnreachable: Bool = false,
            isDeadEnd: Bool = false, isActive: Bool = false
        ) {
            self.id = id
            self.label = label
            self.kind = kind
            self.isUnreachable = isUnreachable
            self.isDeadEnd = isDeadEnd
            self.isActive = isActive
        }

        /// The same node, active.
        package var active: Node {
            Node(
                id: id, label: label, kind: kind, isUnreachable: isUnreachable,
                isDeadEnd: isDeadEnd, isActive: true)
        }
    }

    /// An arrow.
    public struct Link: Hashable, Sendable {
        /// What takes an instance along an arrow.
        public enum Kind: String, Hashable, Sendable {
            /// An event, or one of several.
            case event
            /// A time in the first state.
            case after
            /// Nothing: it is taken as soon as its guard allows it.
            case always
            /// Entering the first node's state, of which the second one is a part.
            case initial
            /// Asking for the second state.
            case move
            /// A closure computed it.
            case computed
            /// It has happened, and nothing more is known of it.
            case observed
        }

        /// The id of the first node.
        public let from: String
        /// The id of the second node.
        public let to: String
        /// What takes an instance along it.
        public let kind: Kind
        /// The event or events, or the trigger in words, such as `after 30s`; empty for none.
        public let event: String
        /// The guard's name or expression, if there is one.
        public let condition: String?
        /// A remark: the closure that computed it, or that it was observed.
        public let note: String?

        /// The event, the guard in brackets, and the remark in parentheses.
        public var label: String {
            [event, condition.map { "[\($0)]" } ?? "", note.map { "(\($0))" } ?? ""]
                .filter { !$0.isEmpty }.joined(separator: " ")
        }

        /// Whether no declaration says it: a closure computed it, or it was observed.
        public var isComputed: Bool { kind == .computed || kind == .observed }

        package init(
            from: String, to: String, _ kind: Kind = .event, event: String,
            condition: String? = nil, note: String? = nil
        ) {
            self.from = from
            self.to = to
            self.kind = kind
            self.event = event
            self.condition = condition
            self.note = note
        }
    }

    /// A nested region, or a state with states inside.
    public struct Group: Hashable, Sendable {
        /// The meaning of a group.
        public enum Kind: String, Hashable, Sendable {
            /// States that a part of the machine's state can have.
            case region
            /// A state, of whose children one is active.
            case compound
            /// A state, of whose children all are active.
            case parallel
        }

        /// The id in the text.
        public let id: String
        /// The meaning.
        public let kind: Kind
        /// The shown text.
        public let label: String
        /// The node among ``nodes`` that stands for the state itself, if it is one.
        public let own: String?
        /// The states inside.
        public package(set) var nodes: [Node]
        /// The arrows inside.
        public package(set) var links: [Link]
        /// The regions inside.
        public package(set) var groups: [Group]

        package init(
            id: String, _ kind: Kind = .region, label: String, own: String? = nil, nodes: [Node],
            links: [Link], groups: [Group]
        ) {
            self.id = id
            self.kind = kind
            self.label = label
            self.own = own
            self.nodes = nodes
            self.links = links
            self.groups = groups
        }
    }

    /// The states outside of regions.
    public package(set) var nodes: [Node] = []
    /// The arrows between states; either end may be inside a region.
    public package(set) var links: [Link] = []
    /// The regions.
    public package(set) var groups: [Group] = []
    /// The id of the initial state's node, if it was given.
    public package(set) var initial: String?

    /// The node of an id, wherever it is.
    func node(_ id: String) -> Node? {
        var groups = self.groups[...]
        var found = nodes.first { $0.id == id }
        while found == nil, let group = groups.popFirst() {
            found = group.nodes.first { $0.id == id }
            groups += group.groups
        }
        return found
    }

    /// The diagram with the nodes of some ids active.
    package func active(_ ids: Set<String>) -> StateDiagram {
        // Groups are as deep as a machine's regions, which its code or its definition bounds.
        func light(_ nodes: [Node]) -> [Node] {
            nodes.map { ids.contains($0.id) ? $0.active : $0 }
        }
        func light(_ groups: [Group]) -> [Group] {
            groups.map { group in
                var group = group
                group.nodes = light(group.nodes)
                group.groups = light(group.groups)
                return group
            }
        }
        var diagram = self
        diagram.nodes = light(nodes)
        diagram.groups = light(groups)
        return diagram
    }

    /// An empty drawing.
    package init() {}

    /// A drawing without regions.
    package init(nodes: [Node], links: [Link], initial: String?) {
        self.nodes = nodes
        self.links = links
        self.initial = initial
    }
}
