/// Some of many elements, and the position after them.
public struct Page<Item: PageItem, Position: Sendable>: Sendable {
    /// The elements, in order.
    public let items: [Item]
    /// The value of `after` for the next page; `nil` on the last one.
    public let next: Position?
    /// Everything the server sent.
    public let reply: Reply

    package init(_ reply: Reply, next: Position?) throws(ClientError) {
        guard let items: [Item] = try reply.fields.items("items") else {
            throw .protocolViolation("a reply without a usable \"items\"")
        }
        self.items = items
        self.next = next
        self.reply = reply
    }
}
