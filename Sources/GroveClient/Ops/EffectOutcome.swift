import OrderedJSON

/// The end of an effect that the reply to an event waited for.
public struct EffectOutcome: PageItem, Hashable {
    /// How an effect ended.
    public enum End: String, Hashable, Sendable, CaseIterable {
        /// With a result.
        case completed
        /// Without one, after its last attempt.
        case failed
        /// It was cancelled.
        case cancelled
    }

    /// Its number.
    public let run: Int64
    /// Its instance, if it isn't the one that the event was sent to.
    public let instance: String?
    /// Its id, with its scopes.
    public let id: String?
    /// How it ended; `nil` for a word this client doesn't know.
    public let end: End?
    /// Why it failed.
    public let reason: String?

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        run = try fields.required("effect", Fields.integer)
        instance = fields.string("to")
        id = fields.string("id")
        end = fields.string("end").flatMap(End.init)
        reason = fields.string("reason")
    }
}
