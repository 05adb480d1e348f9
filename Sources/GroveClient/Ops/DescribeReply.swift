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
        self.reply = reply
    }
}
