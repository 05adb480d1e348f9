import OrderedJSON

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
    /// What the server stores of the machine; `nil` if it wasn't asked for, or isn't shown to
    /// readers of some of its instances only.
    public let counts: Counts?
    /// The element as the server wrote it.
    public let text: [UInt8]

    /// Reads the element at `node`.
    public init(_ document: JSONDocument, at node: JSONDocument.Node) throws(ClientError) {
        let fields = Fields(document, node)
        name = try fields.required("name", Fields.string)
        version = fields.plainText("version")
        hash = fields.plainText("hash")
        held = fields.plainText("held")
        if let counts = document.member("counts", of: node) {
            self.counts = try Counts(Fields(document, counts))
        } else {
            counts = nil
        }
        text = document.text(node)
    }

    /// How much a server stores of a machine.
    public struct Counts: Sendable, Equatable {
        /// The instances, done ones included.
        public let instances: Int64
        /// The instances that are done.
        public let done: Int64
        /// The effects that have failed and are kept.
        public let failed: Int64
        /// The effects that wait for an answer from outside.
        public let asking: Int64

        init(_ fields: Fields) throws(ClientError) {
            instances = try fields.required("instances", Fields.integer)
            done = try fields.required("done", Fields.integer)
            failed = try fields.required("failed", Fields.integer)
            asking = try fields.required("asking", Fields.integer)
        }
    }
}
