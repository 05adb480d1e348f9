import GroveWire
import OrderedJSON

extension Client {
    /// The states, events and transitions of a machine, as far as it declares them or the server
    /// has observed them.
    ///
    /// - Parameter name: The machine, or an instance: then its own version of the machine is
    ///   described, and its active states are marked.
    /// - Throws: ``ClientError``; a machine that isn't hosted is `NO_SUCH_MACHINE`.
    public nonisolated func describe(
        _ name: String, format: DiagramFormat = .mermaid, timeout: Duration? = nil
    ) async throws(ClientError) -> DescribeReply {
        let request = Request(.describe).with("name", name).with("format", format.rawValue)
        return try DescribeReply(try await self.request(request, timeout: timeout))
    }
}
