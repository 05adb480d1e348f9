import GroveWire
import OrderedJSON

extension Client {
    /// Creates an instance in its initial state, version 0.
    ///
    /// - Throws: ``ClientError``, such as `ALREADY_EXISTS` of the server.
    public nonisolated func create(
        _ name: String, input: JSONValue? = nil, dedup: String? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> InstanceReply {
        let request = Request.about(name, .create).with("input", input).with("dedup", dedup)
        return try InstanceReply(try await self.request(request, timeout: timeout))
    }
}
