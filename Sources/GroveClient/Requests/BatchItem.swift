import OrderedJSON

/// One event of a batch: the fields of a `send`, without an id.
public struct BatchItem: Sendable {
    /// The item as JSON, one object.
    let text: [UInt8]
    /// Whether it is known to have a dedup key.
    let hasKey: Bool
    /// Whether it is known to have none.
    let isOpen: Bool

    /// An event for an instance.
    ///
    /// - Parameters:
    ///   - name: the instance, `machine/instance`.
    ///   - event: a string, or an object with a member `type`.
    ///   - dedup: a key of at most 200 bytes; a repeat of the batch does what has one once.
    ///   - expectation: what the instance must be like, else `VERSION_CONFLICT`.
    ///   - creation: whether the event may create its instance; `nil` leaves it to the server.
    ///   - detail: how much the result tells.
    public init(
        to name: String, event: JSONValue, dedup: String? = nil,
        expect expectation: Expectation? = nil, create creation: CreationMode? = nil,
        reply detail: ReplyDetail = .min
    ) {
        let request = Request.send(
            to: name, event: event.serialized(), dedup: dedup, expect: expectation,
            create: creation, reply: detail)
        text = request.fieldsText
        hasKey = dedup != nil
        isOpen = dedup == nil
    }

    /// An item that is JSON text already, which goes out as it is: one object without newlines, or
    /// the server refuses the line.
    public init(text: some Collection<UInt8>) {
        self.text = Array(text)
        hasKey = false
        isOpen = false
    }

    private init(text: [UInt8], hasKey: Bool) {
        self.text = text
        self.hasKey = hasKey
        isOpen = false
    }

    /// The same with a dedup key.
    func withKey(_ key: String) -> BatchItem {
        BatchItem(
            text: text.dropLast() + Array(",\"dedup\":".utf8) + JSONValue.string(key).serialized()
                + [UInt8(ascii: "}")],
            hasKey: true)
    }
}

/// What became of the items of a batch, in their order.
public struct BatchReply: Sendable {
    /// Of each item what a `send` of it would have been answered.
    public let results: [Result<SendReply, ServerError>]
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `batch`.
    public init(_ reply: Reply) throws(ClientError) {
        let document = reply.document
        guard let list = reply.node("results"), document.kind(list) == .array else {
            throw .protocolViolation("a reply without a usable \"results\"")
        }
        var results: [Result<SendReply, ServerError>] = []
        for node in document.elements(of: list) {
            if let error = document.member("error", of: node) {
                results.append(.failure(ServerError(document, at: error)))
                continue
            }
            results.append(.success(try SendReply(try Self.part(document, node))))
        }
        self.results = results
        self.reply = reply
    }

    /// A value of the reply as a reply of its own.
    private static func part(
        _ document: JSONDocument, _ node: JSONDocument.Node
    ) throws(ClientError) -> Reply {
        let text = document.text(node)
        do throws(JSONError) {
            return Reply(
                try JSONDocument(
                    parsing: text, limits: JSONDocument.limits(lineBytesMax: text.count)))
        } catch {
            throw .protocolViolation("a result that is no JSON: \(error)")
        }
    }
}

/// Whether an instance would take an event.
public struct CanReply: Sendable {
    /// Whether it would.
    public let isPossible: Bool
    /// The state it would reach; `nil` when it wouldn't take the event.
    public let state: JSONValue?
    /// The events that would do instead, as far as the machine says.
    public let accepts: [String]
    /// Why it wouldn't.
    public let reason: String?
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `can`.
    public init(_ reply: Reply) throws(ClientError) {
        isPossible = try reply.require("can", reply.bool("can"))
        state = reply.value("state")
        accepts = reply.value("accepts")?.array?.compactMap(\.string) ?? []
        reason = reply.string("reason")
        self.reply = reply
    }
}

/// What a machine can do.
public struct DescribeReply: Sendable {
    /// One way from a state to a state.
    public struct Transition: Hashable, Sendable {
        /// The state before.
        public let from: String
        /// The event.
        public let event: String
        /// The state after.
        public let to: String
        /// Whether all that is known of it is that it has happened.
        public let isObserved: Bool
    }

    /// An event that the machine takes.
    public struct TakenEvent: Hashable, Sendable {
        /// A value of an event.
        public struct Member: Hashable, Sendable {
            /// The member's name.
            public let name: String
            /// What it takes, in words; `nil` where that isn't known.
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
    /// The events it takes with their values, as far as they are known.
    public let takes: [TakenEvent]
    /// Which event leads from where to where.
    public let transitions: [Transition]
    /// The drawing as text, for Mermaid or Graphviz.
    public let diagram: String
    /// Everything the server sent, `name`, `version` and `hash` too.
    public let reply: Reply

    /// Reads the reply to a `describe`.
    public init(_ reply: Reply) throws(ClientError) {
        states = reply.value("states")?.array?.compactMap(\.string) ?? []
        events = reply.value("events")?.array?.compactMap(\.string) ?? []
        takes = (reply.value("takes")?.array ?? []).compactMap { item in
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
        transitions = (reply.value("transitions")?.array ?? []).compactMap { item in
            guard let from = item["from"]?.string, let event = item["event"]?.string,
                let to = item["to"]?.string
            else { return nil }
            return Transition(
                from: from, event: event, to: to, isObserved: item["observed"]?.bool ?? false)
        }
        diagram = try reply.require("diagram", reply.string("diagram"))
        self.reply = reply
    }
}

/// In which language a machine is drawn.
public enum DiagramFormat: String, Hashable, Sendable, CaseIterable {
    /// Mermaid's state diagrams.
    case mermaid
    /// DOT, of Graphviz.
    case dot
}
