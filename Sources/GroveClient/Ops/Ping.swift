import GroveWire
import OrderedJSON

extension Client {
    /// The round-trip time to the server, without connecting if the client is connected.
    @discardableResult
    public nonisolated func ping(timeout: Duration? = nil) async throws(ClientError) -> Duration {
        let start = ContinuousClock.now
        _ = try await request(Request(.ping), timeout: timeout)
        return ContinuousClock.now - start
    }

    /// The server's health. The server answers also while its disk hangs.
    ///
    /// - Throws: ``ClientError``; ``ClientError/protocolViolation(_:)`` for a server that is too
    ///   old to report its health.
    public nonisolated func health(timeout: Duration? = nil) async throws(ClientError) -> Health {
        let request = Request(.ping).with("health", true)
        return try Health(try await self.request(request, timeout: timeout))
    }
}
