import OrderedJSON

/// One effect of an instance: work that it has asked for, or a timer.
public struct EffectSummary: PageItem {
    /// The instance's whole name; `nil` in the answer to `get`, which is about one instance.
    public let instance: String?
    /// Its number, which no other effect of the instance ever has.
    public let run: Int64
    /// What kind of work it is: `after`, `perform`, `send`, `start`, `ask` or `compensate`; `nil`
    /// among the timers of `get`, which are all `after`.
    public let kind: String?
    /// The handler, instance or machine that it is about.
    public let name: String?
    /// Its id, with its scopes.
    public let id: String?
    /// What it waits for; `nil` for a word this client doesn't know, and among the timers of
    /// `get`, which sleep.
    public let phase: EffectPhase?
    /// Which try it is, from 1; of handlers only.
    public let attempt: Int?
    /// A timer's event.
    public let event: JSONValue?
    /// When something happens by itself, as the server wrote it.
    public let due: String?
    /// Why it failed, the last time.
    public let reason: String?
    /// What lets somebody outside answer it (``Client/complete(_:with:timeout:)``).
    public let token: String?
    /// The whole name of its child.
    public let child: String?
    /// When it was asked for, as the server wrote it; only in the answer to `effects`.
    public let asked: String?
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        func string(_ name: StaticString) -> String? {
            document.member(name, of: node).flatMap(document.string)
        }
        guard let run = document.member("effect", of: node).flatMap(document.integer) else {
            throw .protocolViolation("an effect without \"effect\"")
        }
        self.run = run
        instance = string("to")
        kind = string("kind")
        name = string("name")
        id = string("id")
        phase = string("phase").flatMap(EffectPhase.init)
        attempt = document.member("attempt", of: node).flatMap(document.integer).map(Int.init)
        event = document.member("event", of: node).map(document.value)
        due = string("due")
        reason = string("reason")
        token = string("token")
        child = string("child")
        asked = string("asked")
        text = document.text(node)
    }
}

/// What became of an effect that the reply to an event waited for.
public struct EffectOutcome: PageItem, Hashable {
    /// How an effect ended.
    public enum End: String, Hashable, Sendable, CaseIterable {
        /// With a result.
        case completed
        /// Without one, after its last try.
        case failed
        /// Somebody or something cancelled it.
        case cancelled
    }

    /// Its number.
    public let run: Int64
    /// Its instance, where it isn't the one that the event was sent to.
    public let instance: String?
    /// Its id, with its scopes.
    public let id: String?
    /// How it ended; `nil` for a word this client doesn't know.
    public let end: End?
    /// Why it failed.
    public let reason: String?

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        func string(_ name: StaticString) -> String? {
            document.member(name, of: node).flatMap(document.string)
        }
        guard let run = document.member("effect", of: node).flatMap(document.integer) else {
            throw .protocolViolation("an outcome without \"effect\"")
        }
        self.run = run
        instance = string("to")
        id = string("id")
        end = string("end").flatMap(End.init)
        reason = string("reason")
    }
}

/// What a `cancel` has cancelled.
public struct CancelReply: Sendable {
    /// The numbers of the effects, in order.
    public let runs: [Int64]
    /// A place in the log behind the records of it.
    public let cursor: String?
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `cancel`.
    public init(_ reply: Reply) throws(ClientError) {
        let node = try reply.require("cancelled", reply.node("cancelled"))
        runs = reply.document.elements(of: node).compactMap(reply.document.integer)
        cursor = reply.string("cur")
        self.reply = reply
    }
}

extension Reply {
    /// The elements of a field that is an array; `nil` when the field is missing.
    func items<Item: PageItem>(_ name: StaticString) throws(ClientError) -> [Item]? {
        guard let node = node(name) else { return nil }
        guard document.kind(node) == .array else {
            throw .protocolViolation("\"\(name)\" is no array")
        }
        var items: [Item] = []
        for element in document.elements(of: node) {
            items.append(try Item(document, at: element))
        }
        return items
    }
}
