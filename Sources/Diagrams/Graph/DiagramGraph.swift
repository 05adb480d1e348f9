/// States and transitions to be drawn: what ``DiagramLayout`` lays out.
///
/// A node with nodes inside is drawn around them. The order of nodes decides nothing but what is
/// drawn first; that of edges also which of them is tried first. The same graph always has the same
/// drawing.
public struct DiagramGraph: Hashable, Sendable {
    /// A state, or what stands for states.
    public struct Node: Hashable, Sendable {
        /// The meaning of a node.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A state without states inside.
            case atomic
            /// A state, of whose children one is active.
            case compound
            /// A state, of whose children all are active: they stand side by side.
            case parallel
            /// A part of a parallel state, or of a machine's state.
            case region
            /// A state that completes the state around it, or ends the machine.
            case final
            /// The children that were active when the state around it was last left.
            case history
            /// All states inside that were active when the state around it was last left.
            case deepHistory = "deep-history"
            /// Any state.
            case any
            /// The states that a closure computes.
            case computed
        }

        /// The name by which edges and pages refer to it.
        public var id: String
        /// The id of the node around it; `nil` at the top.
        public var parent: String?
        /// The meaning.
        public var kind: Kind
        /// The shown text.
        public var label: String
        /// Whether the machine, or the state around it, begins here.
        public var isInitial: Bool

        /// A node.
        public init(
            id: String, parent: String? = nil, kind: Kind = .atomic, label: String,
            isInitial: Bool = false
        ) {
            self.id = id
            self.parent = parent
            self.kind = kind
            self.label = label
            self.isInitial = isInitial
        }
    }

    /// A transition.
    public struct Edge: Hashable, Sendable {
        /// What takes an instance along an edge.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// An event.
            case external
            /// An event that doesn't leave the first state.
            case `internal`
            /// Nothing: it is taken as soon as its guard allows it.
            case always
            /// A time in the first state.
            case after
            /// The completion of the first state, or of what it invoked.
            case done
            /// A failure.
            case error
            /// Entering the first node, of which the second one is a part.
            case initial
            /// A closure, or code that names the second state without an event.
            case computed
            /// It has happened, and no definition says it.
            case observed
        }

        /// The name by which pages refer to it.
        public var id: String
        /// The id of the first node.
        public var from: String
        /// The id of the second node; the first one's for a loop.
        public var to: String
        /// The event, or the time as in `after 30s`; may be empty.
        public var event: String
        /// The guard, shown in brackets.
        public var guardText: String?
        /// What takes an instance along it.
        public var kind: Kind

        /// An edge.
        public init(
            id: String, from: String, to: String, event: String = "", guardText: String? = nil,
            kind: Kind = .external
        ) {
            self.id = id
            self.from = from
            self.to = to
            self.event = event
            self.guardText = guardText
            self.kind = kind
        }

        /// The event, and the guard in brackets.
        public var label: String {
            [event, guardText.map { "[\($0)]" } ?? ""].filter { !$0.isEmpty }
                .joined(separator: " ")
        }
    }

    /// The nodes; those at one level are read from first to last.
    public var nodes: [Node]
    /// The edges, each between two of the nodes.
    public var edges: [Edge]

    /// A graph.
    public init(nodes: [Node] = [], edges: [Edge] = []) {
        self.nodes = nodes
        self.edges = edges
    }
}
