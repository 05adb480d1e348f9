/// The result of an `import`.
public struct ImportReply: Sendable {
    /// The instance's version.
    public let version: Int64
    /// Whether the instance was created, or would be; `false` when an equal one was there already.
    public let isNew: Bool
    /// Whether this is the stored answer to an earlier import with the same dedup key.
    public let isDuplicate: Bool
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to an `import`.
    public init(_ reply: Reply) throws(ClientError) {
        version = try reply.fields.required("v", Fields.integer)
        isDuplicate = reply.bool("dup") ?? false
        isNew = (reply.bool("changed") ?? false) && !isDuplicate
        self.reply = reply
    }
}
