import OrderedJSON

/// Whether an instance would accept an event.
public struct CanReply: Sendable {
    /// Whether it would.
    public let isPossible: Bool
    /// The state it would reach; `nil` when it wouldn't accept the event.
    public let state: JSONValue?
    /// The events that it accepts instead, if the machine lists them.
    public let accepts: [String]
    /// Why it wouldn't.
    public let reason: String?
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `can`.
    public init(_ reply: Reply) throws(ClientError) {
        isPossible = try reply.fields.required("can", Fields.bool)
        state = reply.value("state")
        accepts = reply.fields.array("accepts").compactMap(\.string)
        reason = reply.string("reason")
        self.reply = reply
    }
}
