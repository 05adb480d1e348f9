import OrderedJSON

/// One instance in a list.
public struct InstanceSummary: PageItem {
    /// The whole name, `machine/instance`.
    public let name: String
    /// The version.
    public let version: Int64
    /// The state.
    public let state: JSONValue
    /// Whether the instance is done.
    public let isDone: Bool
    /// The version of the definition of its last step; `nil` unless outdated instances were asked
    /// for.
    public let definitionVersion: String?
    /// When it last changed, as the server wrote it.
    public let updated: String?
    /// How it is held, `suspended` or `set_aside`, as the server wrote it; `nil` when it isn't.
    public let held: String?
    /// The reason of the hold, if there is one.
    public let heldReason: String?
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        name = try fields.required("to", Fields.string)
        version = try fields.required("v", Fields.integer)
        state = fields.value("state") ?? .null
        isDone = fields.bool("done") ?? false
        updated = fields.plainText("updated")
        definitionVersion = fields.plainText("definition")
        held = fields.plainText("held")
        heldReason = fields.plainText("reason")
        text = document.text(node)
    }
}
