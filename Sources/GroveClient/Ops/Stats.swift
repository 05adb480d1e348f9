import GroveWire

extension Client {
    /// The server's counters and gauges.
    public nonisolated func stats(timeout: Duration? = nil) async throws(ClientError) -> Reply {
        try await request(Request(.stats), timeout: timeout)
    }
}
