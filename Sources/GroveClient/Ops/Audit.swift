import GroveWire
public import OrderedJSON

extension Client {
    /// One page of the audit: who changed accounts, when and from where.
    ///
    /// - Parameters:
    ///   - number: ``Page/next`` of the page before; `nil` begins with the oldest entry.
    ///   - limit: The largest number of entries, from 1 to 1,000; `nil` leaves it to the server.
    public nonisolated func audit(
        after number: Int64? = nil, limit: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Page<AuditItem, Int64> {
        let request = Request(.audit).with("after", number).with("limit", limit)
        let reply = try await self.request(request, timeout: timeout)
        return try Page(reply, next: reply.integer("next"))
    }

    /// All entries of the audit after a number, fetched `pageSize` at a time.
    public nonisolated func allAudit(
        after number: Int64? = nil, pageSize: Int = 1000
    ) -> PagedSequence<AuditItem, Int64> {
        PagedSequence(start: number) { position throws(ClientError) in
            try await self.audit(after: position, limit: pageSize)
        }
    }
}

/// One entry of the audit.
public struct AuditItem: PageItem {
    /// Its number, from 1 without holes.
    public let number: Int64
    /// When it was, `2026-11-21T02:20:00.123Z`.
    public let time: String
    /// The name of who did it.
    public let by: String
    /// Their address; `unix`, or `data` for the command line beside a stopped server.
    public let from: String
    /// What was changed, one line each.
    public let changes: [String]
    /// The hash of this entry and the one before, in hexadecimal.
    public let hash: String
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        number = try fields.required("n", Fields.integer)
        time = fields.string("time") ?? ""
        by = fields.string("by") ?? ""
        from = fields.string("from") ?? ""
        changes = fields.strings("changes")
        hash = fields.string("hash") ?? ""
        text = document.text(node)
    }
}
