import GroveWire
import OrderedJSON

extension Client {
    /// The states, events and transitions of a machine, as far as it declares them or the server
    /// has observed them.
    ///
    /// - Throws: ``ClientError``; a machine that isn't hosted is `NO_SUCH_MACHINE`.
    public nonisolated func describe(
        _ machine: String, format: DiagramFormat = .mermaid, timeout: Duration? = nil
    ) async throws(ClientError) -> DescribeReply {
        let request = Request(.describe).with("name", machine).with("format", format.rawValue)
        return try DescribeReply(try await self.request(request, timeout: timeout))
    }
}
