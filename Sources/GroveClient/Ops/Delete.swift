import GroveWire

extension Client {
    /// Removes an instance with its history and effects; one `deleted` record stays.
    @discardableResult
    public nonisolated func delete(
        _ name: String, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        try await request(Request.about(name, .delete), timeout: timeout)
    }
}
