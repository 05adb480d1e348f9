import OrderedJSON

/// The states, events and transitions of a machine.
public struct DescribeReply: Sendable {
    /// One transition from a state to a state.
    public struct Transition: Hashable, Sendable {
        /// The state before.
        public let from: String
        /// The event.
        public let event: String
        /// The state after.
        public let to: String
        /// Whether the server has only observed it, and the machine doesn't declare it.
        public let isObserved: Bool
    }

    /// An event that the machine accepts.
    public struct TakenEvent: Hashable, Sendable {
        /// A value of an event.
        public struct Member: Hashable, Sendable {
            /// The member's name.
            public let name: String
            /// The values it may have, in words; `nil` if they aren't known.
            public let expected: String?
            /// Whether it may be absent.
            public let isOptional: Bool
        }

        /// Its name.
        public let name: String
        /// Its values.
        public let members: [Member]
        /// Whether only the machine's own effects send it.
        public let isInternal: Bool
    }

    /// The states and transitions as a graph, which the diagram shows.
    public struct Graph: Hashable, Sendable {
        /// A state, or what stands for states.
        public struct Node: Hashable, Sendable {
            /// Its id in this graph.
            public let id: String
            /// The id of the state or region around it.
            public let parent: String?
            /// `state`, `final`, `compound`, `parallel`, `history`, `deep-history`, `region`,
            /// `any` or `computed`.
            public let kind: String
            /// The shown text.
            public let label: String
            /// Whether the machine, or the state around it, begins there.
            public let isInitial: Bool
            /// Whether the instance is in it, if one was asked for.
            public let isActive: Bool
        }

        /// A way from a node to a node.
        public struct Edge: Hashable, Sendable {
            /// Its id in this graph.
            public let id: String
            /// The id of the first node.
            public let from: String
            /// The id of the second node.
            public let to: String
            /// The event or events, or the time as in `after 30s`; `nil` for none.
            public let event: String?
            /// The guard's name or expression.
            public let condition: String?
            /// `event`, `after`, `always`, `initial`, `move`, `computed` or `observed`.
            public let kind: String
        }

        /// The nodes, each before those inside it.
        public let nodes: [Node]
        /// The edges.
        public let edges: [Edge]
    }

    /// The names of its states, as far as they are known.
    public let states: [String]
    /// The names of its events, as far as they are known.
    public let events: [String]
    /// The events it accepts with their values, as far as they are known.
    public let takes: [TakenEvent]
    /// The transitions, as far as they are known.
    public let transitions: [Transition]
    /// The diagram as text, for Mermaid or Graphviz.
    public let diagram: String
    /// The states and transitions as a graph.
    public let graph: Graph
    /// Examples of events that it accepts, by their names.
    public let examples: [String: [JSONValue]]
    /// Whether the machine has more than the reply has room for.
    public let isPartial: Bool
    /// Everything the server sent, `name`, `version` and `hash` too.
    public let reply: Reply

    /// Reads the reply to a `describe`.
    public init(_ reply: Reply) throws(ClientError) {
        states = reply.fields.array("states").compactMap(\.string)
        events = reply.fields.array("events").compactMap(\.string)
        takes = reply.fields.array("takes").compactMap { item in
            guard let name = item["type"]?.string else { return nil }
            let members = (item["members"]?.array ?? []).compactMap { member in
                member["name"]?.string.map { name in
                    TakenEvent.Member(
                        name: name, expected: member["is"]?.string,
                        isOptional: member["optional"]?.bool ?? false)
                }
            }
            return TakenEvent(
                name: name, members: members, isInternal: item["internal"]?.bool ?? false)
        }
        transitions = reply.fields.array("transitions").compactMap { item in
            guard let from = item["from"]?.string, let event = item["event"]?.string,
                let to = item["to"]?.string
            else { return nil }
            return Transition(
                from: from, event: event, to: to, isObserved: item["observed"]?.bool ?? false)
        }
        diagram = try reply.fields.required("diagram", Fields.string)
        graph = Graph(reply.fields.value("graph")?.object ?? JSONObject())
        examples = Dictionary(
            (reply.fields.value("examples")?.object ?? JSONObject()).map {
                ($0.name, $0.value.array ?? [])
            },
            uniquingKeysWith: { first, _ in first })
        isPartial = reply.fields.bool("partial") ?? false
        self.reply = reply
    }
}

extension DescribeReply.Graph {
    /// The graph of a reply; empty for a server that sends none.
    fileprivate init(_ json: JSONObject) {
        nodes = (json["nodes"]?.array ?? []).compactMap { item in
            guard let id = item["id"]?.string, let kind = item["kind"]?.string else { return nil }
            return Node(
                id: id, parent: item["parent"]?.string, kind: kind,
                label: item["label"]?.string ?? "", isInitial: item["initial"]?.bool ?? false,
                isActive: item["active"]?.bool ?? false)
        }
        edges = (json["edges"]?.array ?? []).compactMap { item in
            guard let id = item["id"]?.string, let from = item["from"]?.string,
                let to = item["to"]?.string, let kind = item["kind"]?.string
            else { return nil }
            return Edge(
                id: id, from: from, to: to, event: item["event"]?.string,
                condition: item["guard"]?.string, kind: kind)
        }
    }
}
