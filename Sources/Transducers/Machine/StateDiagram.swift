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
            /// Any state, or any of a region.
            case any
            /// The states that a closure computes.
            case computed
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
    }

    /// An arrow.
    public struct Link: Hashable, Sendable {
        /// The id of the first node.
        public let from: String
        /// The id of the second node.
        public let to: String
        /// The event and, in brackets, the guard.
        public let label: String
        /// Whether a closure computed it.
        public let isComputed: Bool

        package init(from: String, to: String, label: String, isComputed: Bool = false) {
            self.from = from
            self.to = to
            self.label = label
            self.isComputed = isComputed
        }
    }

    /// A nested region.
    public struct Group: Hashable, Sendable {
        /// The id in the text.
        public let id: String
        /// The shown text.
        public let label: String
        /// The states inside.
        public package(set) var nodes: [Node]
        /// The arrows inside.
        public package(set) var links: [Link]
        /// The regions inside.
        public package(set) var groups: [Group]

        package init(
            id: String, label: String, nodes: [Node], links: [Link], groups: [Group]
        ) {
            self.id = id
            self.label = label
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

    /// An empty drawing.
    package init() {}

    /// A drawing without regions.
    package init(nodes: [Node], links: [Link], initial: String?) {
        self.nodes = nodes
        self.links = links
        self.initial = initial
    }
}
