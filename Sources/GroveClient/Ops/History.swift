import GroveWire

extension Client {
    /// One page of an instance's steps.
    ///
    /// - Parameters:
    ///   - version: Only steps after this version; `nil` begins with version 1.
    ///   - limit: The largest number of steps, from 1 to 1,000; `nil` leaves it to the server.
    public nonisolated func history(
        of name: String, after version: Int64? = nil, limit: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Page<HistoryStep, Int64> {
        let request = Request.about(name, .history).with("after", version).with("limit", limit)
        let reply = try await self.request(request, timeout: timeout)
        return try Page(reply, next: reply.integer("next"))
    }

    /// All steps of an instance after `version`, fetched `pageSize` at a time.
    public nonisolated func steps(
        of name: String, after version: Int64? = nil, pageSize: Int = 1000
    ) -> PagedSequence<HistoryStep, Int64> {
        PagedSequence(start: version) { position throws(ClientError) in
            try await self.history(of: name, after: position, limit: pageSize)
        }
    }
}
