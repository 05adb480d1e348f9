/// A drawing of a machine's states and transitions, which can be written as Mermaid or for
/// Graphviz. Tables of routes, explorations and the op `describe` make one. The same machine gives
/// the same text in every process.
public struct StateDiagram: Hashable, Sendable {
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
        /// Whether it is known that nothing leads to it. Graphviz dashes it.
        public let isUnreachable: Bool
        /// Whether it is known that nothing leads out of it, although it isn't terminal. Graphviz
        /// fills it.
        public let isDeadEnd: Bool

        package init(
            id: String, label: String, kind: Kind, isUnreachable: Bool = false,
            isDeadEnd: Bool = false
        ) {
            self.id = id
            self.label = label
            self.kind = kind
            self.isUnreachable = isUnreachable
            self.isDeadEnd = isDeadEnd
        }
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

        package init(from: String, to: String, label: String, isComputed: Bool = false) {
            self.from = from
            self.to = to
            self.label = label
            self.isComputed = isComputed
        }
    }

    /// A nested region.
    public struct Group: Hashable, Sendable {
        /// What it is called in the text.
        public let id: String
        /// What is shown.
        public let label: String
        /// What is inside.
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
    /// The arrows between states, of which either may be inside a region.
    public package(set) var links: [Link] = []
    /// The regions.
    public package(set) var groups: [Group] = []
    /// The id of the node the machine begins at, if it was given.
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
