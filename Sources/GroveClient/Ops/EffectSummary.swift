import OrderedJSON

/// One effect of an instance: work that it has asked for, or a timer.
public struct EffectSummary: PageItem {
    /// The instance's whole name; `nil` in the answer to `get`, which is about one instance.
    public let instance: String?
    /// Its number, which no other effect of the instance ever has.
    public let run: Int64
    /// Its kind: `after`, `perform`, `send`, `start`, `ask` or `compensate`; `nil` among the
    /// timers of `get`, which are all `after`.
    public let kind: String?
    /// The handler, instance or machine that it is about.
    public let name: String?
    /// Its id, with its scopes.
    public let id: String?
    /// Its phase; `nil` for a word this client doesn't know, and among the timers of `get`,
    /// which sleep.
    public let phase: EffectPhase?
    /// The number of the attempt, from 1; of handlers only.
    public let attempt: Int?
    /// A timer's event.
    public let event: JSONValue?
    /// When something happens by itself, as the server wrote it.
    public let due: String?
    /// Why it failed, the last time.
    public let reason: String?
    /// The token for an answer from outside (``Client/complete(_:with:timeout:)``).
    public let token: String?
    /// The whole name of its child.
    public let child: String?
    /// When it was asked for, as the server wrote it; only in the answer to `effects`.
    public let asked: String?
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        run = try fields.required("effect", Fields.integer)
        instance = fields.string("to")
        kind = fields.string("kind")
        name = fields.string("name")
        id = fields.string("id")
        phase = fields.string("phase").flatMap(EffectPhase.init)
        attempt = fields.integer("attempt").map(Int.init)
        event = fields.value("event")
        due = fields.string("due")
        reason = fields.string("reason")
        token = fields.string("token")
        child = fields.string("child")
        asked = fields.string("asked")
        text = document.text(node)
    }
}
