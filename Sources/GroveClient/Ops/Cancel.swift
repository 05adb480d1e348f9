import GroveWire
import OrderedJSON

extension Client {
    /// Cancels effects of an instance, in any phase. Their machine gets no event for it.
    ///
    /// - Returns: The cancelled effects; none, when none matches.
    /// - Throws: ``ClientError``, such as `NO_SUCH_INSTANCE` of the server.
    @discardableResult
    public nonisolated func cancel(
        _ choice: CancelChoice, of name: String, timeout: Duration? = nil
    ) async throws(ClientError) -> CancelReply {
        let request = Request.about(name, .cancel).with(choice.field.name, choice.field.value)
        return try CancelReply(try await self.request(request, timeout: timeout))
    }
}

/// The effects that a `cancel` has cancelled.
public struct CancelReply: Sendable {
    /// The numbers of the effects, in order.
    public let runs: [Int64]
    /// The cursor after the records of the cancellation.
    public let cursor: String?
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `cancel`.
    public init(_ reply: Reply) throws(ClientError) {
        let node = try reply.fields.required("cancelled", Fields.node)
        runs = reply.document.elements(of: node).compactMap(reply.document.integer)
        cursor = reply.string("cur")
        self.reply = reply
    }
}
