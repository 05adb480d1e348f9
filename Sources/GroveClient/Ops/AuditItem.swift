import GroveWire
public import OrderedJSON

/// One entry of the audit.
public struct AuditItem: PageItem {
    /// Its number, from 1 without holes.
    public let number: Int64
    /// When it was, `2026-11-21T02:20:00.123Z`.
    public let time: String
    /// The name of who did it.
    public let by: String
    /// Their address; `unix`, or `data` for the command line beside a stopped server.
    public let from: String
    /// What was changed, one line each.
    public let changes: [String]
    /// The hash of this entry and the one before, in hexadecimal.
    public let hash: String
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        number = try fields.required("n", Fields.integer)
        time = fields.string("time") ?? ""
        by = fields.string("by") ?? ""
        from = fields.string("from") ?? ""
        changes = fields.strings("changes")
        hash = fields.string("hash") ?? ""
        text = document.text(node)
    }
}
