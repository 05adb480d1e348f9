public import OrderedJSON

/// A token, without its secret.
public struct TokenSummary: PageItem {
    /// Its public part.
    public let id: String
    /// What it is for, in words; may be empty.
    public let label: String
    /// When it was made, `2026-11-21T00:00:00.000Z`.
    public let made: String?
    /// When it ends; `nil` for never.
    public let expires: String?
    /// The last day on which it was used, `2026-11-21`; `nil` before that.
    public let lastUsed: String?
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        id = try fields.required("id", Fields.string)
        label = fields.string("label") ?? ""
        made = fields.string("made")
        expires = fields.string("expires")
        lastUsed = fields.string("last_used")
        text = document.text(node)
    }
}
