import OrderedJSON

/// What became of an event.
public struct SendReply: Sendable {
    /// The instance's version after the event.
    public let version: Int64
    /// A place in the log after everything the event caused.
    public let cursor: String?
    /// Whether the state changed.
    public let isChanged: Bool
    /// Whether the instance is done.
    public let isDone: Bool
    /// Whether this is the stored answer to an earlier event with the same dedup key.
    public let isDuplicate: Bool
    /// The state after the event, where it was asked for.
    public let state: JSONValue?
    /// The outputs in order, where they were asked for; otherwise empty.
    public let outputs: [JSONValue]
    /// What the event did to effects, where that was asked for, in the form of records of kind
    /// `effect`; otherwise empty.
    public let effects: [JSONValue]
    /// What became of the effects that the reply waited for; `nil` unless it did.
    public let settled: [EffectOutcome]?
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `send`.
    public init(_ reply: Reply) throws(ClientError) {
        version = try reply.require("v", reply.integer("v"))
        cursor = reply.string("cur")
        isChanged = reply.bool("changed") ?? false
        isDone = reply.bool("done") ?? false
        isDuplicate = reply.bool("dup") ?? false
        state = reply.value("state")
        outputs = reply.value("outputs")?.array ?? []
        effects = reply.value("effects")?.array ?? []
        settled = try reply.items("settled")
        self.reply = reply
    }
}

/// An instance at one version: the answer to `create`, `get` and `await`.
public struct InstanceReply: Sendable {
    /// The version; 0 is that of a created instance before its first event.
    public let version: Int64
    /// The state at that version.
    public let state: JSONValue
    /// Whether the instance is done.
    public let isDone: Bool
    /// Its timers; empty for an old version, and after `create`.
    public let timers: [EffectSummary]
    /// Its effects but for timers, at most about a hundred; empty for an old version, and after
    /// `create`. ``Client/effects(of:phase:after:limit:timeout:)`` has them all.
    public let effects: [EffectSummary]
    /// Everything the server sent, such as `outputs`, `result`, `definition`.
    public let reply: Reply

    /// Reads the reply to a `create`, `get` or `await`.
    public init(_ reply: Reply) throws(ClientError) {
        version = try reply.require("v", reply.integer("v"))
        state = reply.value("state") ?? .null
        isDone = reply.bool("done") ?? false
        timers = try reply.items("timers") ?? []
        effects = try reply.items("effects") ?? []
        self.reply = reply
    }
}

/// One element of a page, with the fields that every page of its kind has.
public protocol PageItem: Sendable {
    /// Reads the element at `node`.
    init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError)
}

/// One instance in a list.
public struct InstanceSummary: PageItem {
    /// The whole name, `machine/instance`.
    public let name: String
    /// The version.
    public let version: Int64
    /// The state.
    public let state: JSONValue
    /// Whether the instance is done.
    public let isDone: Bool
    /// When it last changed, as the server wrote it.
    public let updated: String?
    /// How it is held, `suspended` or `set_aside`, as the server wrote it; `nil` when it isn't.
    public let held: String?
    /// Why, if somebody said.
    public let heldReason: String?
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        guard let name = document.member("to", of: node).flatMap(document.string),
            let version = document.member("v", of: node).flatMap(document.integer)
        else { throw .protocolViolation("a list item without \"to\" or \"v\"") }
        self.name = name
        self.version = version
        state = document.member("state", of: node).map(document.value) ?? .null
        isDone = document.member("done", of: node).flatMap(document.bool) ?? false
        updated = document.member("updated", of: node).map(document.plainText)
        held = document.member("held", of: node).map(document.plainText)
        heldReason = document.member("reason", of: node).map(document.plainText)
        text = document.text(node)
    }
}

/// One step of an instance's history.
public struct HistoryStep: PageItem {
    /// The version the step led to; the first is 1.
    public let version: Int64
    /// The event as it was sent.
    public let event: JSONValue
    /// The outputs in order.
    public let outputs: [JSONValue]
    /// The key the event was sent with.
    public let dedup: String?
    /// When it happened, as the server wrote it.
    public let at: String?
    /// The step as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        guard let version = document.member("v", of: node).flatMap(document.integer) else {
            throw .protocolViolation("a history item without \"v\"")
        }
        self.version = version
        event = document.member("event", of: node).map(document.value) ?? .null
        outputs = document.member("outputs", of: node).map(document.value)?.array ?? []
        dedup = document.member("dedup", of: node).flatMap(document.string)
        at = document.member("at", of: node).map(document.plainText)
        text = document.text(node)
    }
}

/// One machine a server hosts.
public struct DefinitionSummary: PageItem {
    /// The machine's name.
    public let name: String
    /// The definition's version as the server wrote it, a number or a string.
    public let version: String?
    /// The definition's hash.
    public let hash: String?
    /// How the machine is held as a whole, `suspended` or `set_aside`, as the server wrote it;
    /// `nil` when it isn't.
    public let held: String?
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        guard let name = document.member("name", of: node).flatMap(document.string) else {
            throw .protocolViolation("a definition without \"name\"")
        }
        self.name = name
        version = document.member("version", of: node).map(document.plainText)
        hash = document.member("hash", of: node).map(document.plainText)
        held = document.member("held", of: node).map(document.plainText)
        text = document.text(node)
    }
}

extension JSONDocument {
    /// A string's characters without quotes, or the text of any other value as it stands.
    public func plainText(_ node: Node) -> String {
        string(node) ?? String(decoding: text(node), as: UTF8.self)
    }
}
