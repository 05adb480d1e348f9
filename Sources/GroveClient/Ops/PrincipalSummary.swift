public import OrderedJSON

/// A principal with all that belongs to it.
public struct PrincipalSummary: PageItem {
    /// Its name; `anonymous` has neither identities nor tokens.
    public let name: String
    /// What it is recognized by, besides tokens.
    public let identities: [String]
    /// What it may do.
    public let grants: [String]
    /// The quotas that were given to it, by their words on the wire.
    public let quotas: [String: Int64]
    /// Its tokens.
    public let tokens: [TokenSummary]
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        name = try fields.required("name", Fields.string)
        identities = fields.strings("identities")
        grants = fields.strings("grants")
        var quotas: [String: Int64] = [:]
        for member in fields.value("quotas")?.object ?? JSONObject() {
            quotas[member.name] = member.value.integer
        }
        self.quotas = quotas
        tokens = try fields.items("tokens") ?? []
        text = document.text(node)
    }
}
