import GroveWire
import OrderedJSON

extension Client {
    /// How the server is. Answered also while its disk hangs.
    ///
    /// - Throws: ``ClientError``; ``ClientError/protocolViolation(_:)`` for a server that is too
    ///   old to say.
    public nonisolated func health(timeout: Duration? = nil) async throws(ClientError) -> Health {
        var request = Request(.ping)
        request.set("health", .bool(true))
        return try Health(try await self.request(request, timeout: timeout))
    }
}
