import GroveWire

extension Client {
    /// An instance as it is, or as it was at `version`.
    ///
    /// - Throws: ``ClientError``, such as `NO_SUCH_INSTANCE` of the server.
    public nonisolated func get(
        _ name: String, at version: Int64? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> InstanceReply {
        let request = Request.about(name, .get).with("at", version)
        return try InstanceReply(try await self.request(request, timeout: timeout))
    }
}
