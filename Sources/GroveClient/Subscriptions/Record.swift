import OrderedJSON

/// One thing that happened to one instance (protocol.md, "subscribe").
public struct Record: Sendable {
    /// The subject of a record.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A value the machine emitted.
        case output
        /// A change of the state.
        case state
        /// Work for the outside.
        case effect
        /// Created, done, stopped or deleted.
        case lifecycle
        /// A whole step; sent only to subscriptions that ask for it.
        case trace
    }

    /// The opaque cursor after this record; `nil` in a snapshot.
    public let cursor: String?
    /// The instance, `machine/instance`.
    public let name: String
    /// The instance's version.
    public let version: Int64?
    /// The subject; `nil` for a word this client doesn't know, which is in ``text``.
    public let kind: Kind?
    /// The name of the output, for machines whose outputs have names.
    public let type: String?
    /// When it happened, as the server wrote it.
    public let at: String?
    /// Whether this is an instance's state in the snapshot of a subscription, not a change.
    public let isSnapshot: Bool
    /// Whether the instance was done; only in a snapshot.
    public let isDone: Bool
    /// The whole line.
    public let document: JSONDocument

    init(_ document: JSONDocument) throws(ClientError) {
        let fields = Fields(document)
        name = try fields.required("to", Fields.string)
        cursor = fields.string("cur")
        version = fields.integer("v")
        kind = fields.string("kind").flatMap(Kind.init)
        type = fields.string("type")
        at = fields.plainText("at")
        isSnapshot = fields.bool("snapshot") ?? false
        isDone = fields.bool("done") ?? false
        self.document = document
    }

    /// A field of the record as a JSON value, such as `data`, `before`, `after`, `cause`; `nil`
    /// when there is none of that name.
    public func value(_ name: StaticString) -> JSONValue? {
        Fields(document).value(name)
    }

    /// The output as a value of a Swift type.
    ///
    /// - Throws: ``ClientError/undecodable(_:)`` when it isn't one, or the record has no output.
    public func output<Output: Decodable>(
        as type: Output.Type = Output.self
    ) throws(ClientError) -> Output {
        try Fields(document).decode(type, "data")
    }

    /// The state after the change, or of a snapshot, as a value of a Swift type.
    ///
    /// - Throws: ``ClientError/undecodable(_:)`` when it isn't one, or the record has no state.
    public func state<State: Decodable>(
        as type: State.Type = State.self
    ) throws(ClientError) -> State {
        try Fields(document).decode(type, "after")
    }

    /// The output's whole value; `nil` for other kinds.
    public var data: JSONValue? { value("data") }

    /// The record as one JSON object without `sub`, every field as the server wrote it.
    public var text: [UInt8] { document.text(of: document.root, without: ["sub"]) }
}
