import GroveWire
import OrderedJSON

extension Client {
    /// The machines that the server hosts.
    ///
    /// - Parameter counts: Whether ``DefinitionSummary/counts`` is asked for.
    public nonisolated func definitions(
        counts: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> [DefinitionSummary] {
        let request = Request(.definitions).with("counts", counts ? .bool(true) : nil)
        let reply = try await self.request(request, timeout: timeout)
        return try Page<DefinitionSummary, Never>(reply, next: nil).items
    }
}
