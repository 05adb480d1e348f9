import OrderedJSON

/// One thing that happened to one instance (protocol.md, "subscribe").
public struct Record: Sendable {
    /// What a record tells.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A value the machine emitted.
        case output
        /// A change of the state.
        case state
        /// Work for the outside.
        case effect
        /// Created, done, stopped or deleted.
        case lifecycle
        /// A step with all it did; sent only when asked for.
        case trace
    }

    /// The opaque place right after this record; `nil` in a snapshot.
    public let cursor: String?
    /// The instance, `machine/instance`.
    public let name: String
    /// The instance's version.
    public let version: Int64?
    /// What the record tells; a word this client doesn't know is in ``text`` only.
    public let kind: Kind?
    /// The name of the output, for machines whose outputs have names.
    public let type: String?
    /// When it happened, as the server wrote it.
    public let at: String?
    /// Whether this is the present state at the beginning of a subscription, not a change.
    public let isSnapshot: Bool
    /// Of a snapshot's record: whether the instance was done.
    public let isDone: Bool
    /// The whole line.
    public let document: JSONDocument

    init(_ document: JSONDocument) throws(ClientError) {
        let root = document.root
        guard let name = document.member("to", of: root).flatMap(document.string) else {
            throw .protocolViolation("a record without \"to\"")
        }
        cursor = document.member("cur", of: root).flatMap(document.string)
        self.name = name
        version = document.member("v", of: root).flatMap(document.integer)
        kind = document.member("kind", of: root).flatMap(document.string).flatMap(Kind.init)
        type = document.member("type", of: root).flatMap(document.string)
        at = document.member("at", of: root).map(document.plainText)
        isSnapshot = document.member("snapshot", of: root).flatMap(document.bool) ?? false
        isDone = document.member("done", of: root).flatMap(document.bool) ?? false
        self.document = document
    }

    /// A field of the record as a JSON value, such as `data`, `before`, `after`, `cause`; `nil`
    /// when there is none of that name.
    public func value(_ name: StaticString) -> JSONValue? {
        document.member(name, of: document.root).map(document.value)
    }

    /// The output's whole value; `nil` for other kinds.
    public var data: JSONValue? { value("data") }

    /// The record as one JSON object without `sub`, every field as the server wrote it.
    public var text: [UInt8] { document.text(of: document.root, without: ["sub"]) }
}
