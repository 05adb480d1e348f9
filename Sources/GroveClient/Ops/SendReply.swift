import OrderedJSON

/// The result of an event.
public struct SendReply: Sendable {
    /// The instance's version after the event.
    public let version: Int64
    /// The cursor after all records that the event caused.
    public let cursor: String?
    /// Whether the state changed.
    public let isChanged: Bool
    /// Whether the instance is done.
    public let isDone: Bool
    /// Whether this is the stored answer to an earlier event with the same dedup key.
    public let isDuplicate: Bool
    /// The state after the event, if the request asked for it.
    public let state: JSONValue?
    /// The outputs in order, if the request asked for them; otherwise empty.
    public let outputs: [JSONValue]
    /// The changes of effects, if the request asked for them, in the form of records of kind
    /// `effect`; otherwise empty.
    public let effects: [JSONValue]
    /// The ends of the effects that the reply waited for; `nil` unless it did.
    public let settled: [EffectOutcome]?
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `send`.
    public init(_ reply: Reply) throws(ClientError) {
        version = try reply.fields.required("v", Fields.integer)
        cursor = reply.string("cur")
        isChanged = reply.bool("changed") ?? false
        isDone = reply.bool("done") ?? false
        isDuplicate = reply.bool("dup") ?? false
        state = reply.value("state")
        outputs = reply.fields.array("outputs")
        effects = reply.fields.array("effects")
        settled = try reply.fields.items("settled")
        self.reply = reply
    }
}
