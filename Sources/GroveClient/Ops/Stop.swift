import GroveWire

extension Client {
    /// Stops an instance: it becomes done, its effects are cancelled. A second time is
    /// `INSTANCE_DONE`.
    @discardableResult
    public nonisolated func stop(
        _ name: String, reason: String? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        try await request(Request.about(name, .stop).with("reason", reason), timeout: timeout)
    }
}
