/// What a change of accounts has changed.
public struct AccountsReply: Sendable {
    /// The differences, one line each for people; empty if nothing differs.
    public let changes: [String]
    /// Everything the server sent.
    public let reply: Reply

    package init(_ reply: Reply) throws(ClientError) {
        guard reply.node("changes") != nil else {
            throw .protocolViolation("a reply without a usable \"changes\"")
        }
        changes = reply.fields.strings("changes")
        self.reply = reply
    }
}
