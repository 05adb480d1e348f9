import GroveWire

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
