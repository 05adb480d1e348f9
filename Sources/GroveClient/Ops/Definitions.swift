import GroveWire
import OrderedJSON

extension Client {
    /// The machines that the server hosts.
    public nonisolated func definitions(
        timeout: Duration? = nil
    ) async throws(ClientError) -> [DefinitionSummary] {
        let reply = try await request(Request(.definitions), timeout: timeout)
        return try Page<DefinitionSummary, Never>(reply, next: nil).items
    }
}

/// One machine that a server hosts.
public struct DefinitionSummary: PageItem {
    /// The machine's name.
    public let name: String
    /// The definition's version as the server wrote it, a number or a string.
    public let version: String?
    /// The definition's hash.
    public let hash: String?
    /// How the whole machine is held, `suspended` or `set_aside`, as the server wrote it; `nil`
    /// when it isn't.
    public let held: String?
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        name = try fields.required("name", Fields.string)
        version = fields.plainText("version")
        hash = fields.plainText("hash")
        held = fields.plainText("held")
        text = document.text(node)
    }
}
