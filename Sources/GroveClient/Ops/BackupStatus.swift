import OrderedJSON

/// The progress of a backup.
public struct BackupStatus: Sendable {
    /// Its id, for the calls that continue it.
    public let id: String
    /// Pages that the server has copied.
    public let copied: Int64
    /// Pages in total; may grow while it copies.
    public let pages: Int64
    /// The length of the copy, once it can be read.
    public let bytes: Int64?
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `backup`.
    public init(_ reply: Reply) throws(ClientError) {
        id = try reply.fields.required("backup", Fields.string)
        copied = try reply.fields.required("copied", Fields.integer)
        pages = try reply.fields.required("pages", Fields.integer)
        bytes = reply.integer("bytes")
        self.reply = reply
    }
}
