import GroveWire
import OrderedJSON

/// A copy of the server's data as the answer to one request: it is made, read piece by piece, and
/// removed, each by a line of the line protocol.
struct BackupTransfer: Sendable {
    /// The copy's name.
    let id: String
    /// The bytes of the complete copy; `nil` while it is made.
    var length: Int64?
    /// The bytes that were answered.
    var sent: Int64 = 0
    /// Whether a line waits for its reply.
    var isAsking = false
    /// Whether the progress may be asked for: about once per second.
    var isDue = false

    init(id: String) { self.id = id }

    /// Whether the next line may be given now, if there is room for its reply.
    var hasLine: Bool { !isAsking && (length != nil || isDue) }

    /// Whether the next line is the last one, which removes the copy.
    var isComplete: Bool { sent == length }

    /// Writes the next line, with its newline.
    func write(to writer: inout JSONWriter) {
        writer.literal(#"{"op":"backup","id":0"#)
        writer.member("backup", id)
        if isComplete {
            writer.member("end", true)
        } else if length != nil {
            writer.member("offset", sent)
            writer.member("bytes", Int64(HTTPLimits.backupPieceBytes))
        }
        writer.literal("}\n")
    }
}
