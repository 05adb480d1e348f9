import OrderedJSON

/// One step of an instance's history.
public struct HistoryStep: PageItem {
    /// The version the step led to; the first is 1.
    public let version: Int64
    /// The event as it was sent.
    public let event: JSONValue
    /// The outputs in order.
    public let outputs: [JSONValue]
    /// The key the event was sent with.
    public let dedup: String?
    /// The principal that sent it, if the client manages the instance and the server has accounts;
    /// `nil` for events of timers, results and children too.
    public let by: String?
    /// The trace that it belongs to, as W3C's `traceparent`; `nil` for none.
    public let traceparent: String?
    /// When it happened, as the server wrote it.
    public let at: String?
    /// The step as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        version = try fields.required("v", Fields.integer)
        event = fields.value("event") ?? .null
        outputs = fields.array("outputs")
        dedup = fields.string("dedup")
        by = fields.string("by")
        traceparent = fields.string("traceparent")
        at = fields.plainText("at")
        text = document.text(node)
    }
}
