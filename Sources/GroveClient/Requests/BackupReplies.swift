import GroveWire
import OrderedJSON

/// How far a backup is.
public struct BackupStatus: Sendable {
    /// Its id, for the calls that go on with it.
    public let id: String
    /// Pages that the server has copied.
    public let copied: Int64
    /// Pages that there are; may grow while it copies.
    public let pages: Int64
    /// How long the copy is, once it can be read.
    public let bytes: Int64?
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to a `backup`.
    public init(_ reply: Reply) throws(ClientError) {
        id = try reply.require("backup", reply.string("backup"))
        copied = try reply.require("copied", reply.integer("copied"))
        pages = try reply.require("pages", reply.integer("pages"))
        bytes = reply.integer("bytes")
        self.reply = reply
    }
}

/// A piece of a backup.
struct BackupChunk {
    let bytes: [UInt8]

    /// Reads the reply to a `backup` with an offset.
    ///
    /// - Throws: ``ClientError/protocolViolation(_:)`` when the bytes don't match their checksum,
    ///   or are those of another place.
    init(_ reply: Reply, at offset: Int64) throws(ClientError) {
        let text = try reply.require("data", reply.string("data"))
        let checksum = try reply.require("crc32", reply.integer("crc32"))
        guard reply.integer("offset") == offset, let bytes = Base64.decode(text),
            Int64(CRC32.of(bytes)) == checksum
        else {
            throw .protocolViolation("a piece of the backup was changed on the way")
        }
        self.bytes = bytes
    }
}

/// What an `import` did.
public struct ImportReply: Sendable {
    /// The instance's version.
    public let version: Int64
    /// Whether the instance was made, or would be; `false` when it was there already, just so.
    public let isNew: Bool
    /// Whether this is the stored answer to an earlier import with the same dedup key.
    public let isDuplicate: Bool
    /// Everything the server sent.
    public let reply: Reply

    /// Reads the reply to an `import`.
    public init(_ reply: Reply) throws(ClientError) {
        version = try reply.require("v", reply.integer("v"))
        isDuplicate = reply.bool("dup") ?? false
        isNew = (reply.bool("changed") ?? false) && !isDuplicate
        self.reply = reply
    }
}
