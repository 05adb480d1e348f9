import GroveWire

extension Client {
    /// One page of a list of instances.
    ///
    /// - Parameters:
    ///   - position: ``Page/next`` of the page before; `nil` begins at the start.
    ///   - limit: The largest number of instances, from 1 to 1,000; `nil` leaves it to the server.
    public nonisolated func list(
        _ filter: ListFilter = ListFilter(), after position: String? = nil, limit: Int? = nil,
        timeout: Duration? = nil
    ) async throws(ClientError) -> Page<InstanceSummary, String> {
        let request = filter.request.with("after", position).with("limit", limit)
        let reply = try await self.request(request, timeout: timeout)
        return try Page(reply, next: reply.string("next"))
    }

    /// All instances that match a filter, fetched `pageSize` at a time.
    public nonisolated func instances(
        _ filter: ListFilter = ListFilter(), pageSize: Int = 1000
    ) -> PagedSequence<InstanceSummary, String> {
        PagedSequence(start: nil) { position throws(ClientError) in
            try await self.list(filter, after: position, limit: pageSize)
        }
    }
}
