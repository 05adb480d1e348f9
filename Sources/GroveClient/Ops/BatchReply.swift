import OrderedJSON

/// The results of the items of a batch, in their order.
public struct BatchReply: Sendable {
    /// For each item the result that a `send` of it would have had.
    public let results: [Result<SendReply, ServerError>]
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `batch`.
    public init(_ reply: Reply) throws(ClientError) {
        let document = reply.document
        guard let list = reply.node("results"), document.kind(list) == .array else {
            throw .protocolViolation("a reply without a usable \"results\"")
        }
        var results: [Result<SendReply, ServerError>] = []
        for node in document.elements(of: list) {
            if let error = document.member("error", of: node) {
                results.append(.failure(ServerError(document, at: error)))
            } else {
                results.append(.success(try SendReply(try Self.part(document, node))))
            }
        }
        self.results = results
        self.reply = reply
    }

    /// Parses a value of the reply as a separate reply.
    private static func part(
        _ document: JSONDocument, _ node: JSONDocument.Node
    ) throws(ClientError) -> Reply {
        let text = document.text(node)
        let limits = JSONDocument.limits(lineBytesMax: text.count)
        do throws(JSONError) {
            return Reply(try JSONDocument(parsing: text, limits: limits))
        } catch {
            throw .protocolViolation("a result that is no JSON: \(error)")
        }
    }
}
