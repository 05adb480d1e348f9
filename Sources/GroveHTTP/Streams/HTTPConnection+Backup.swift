import GroveWire
import OrderedJSON

/// A copy of all data as one answer, `POST /v1/backup`. It is read as fast as its client reads.
extension HTTPConnection {
    /// Begins with the reply to the request's own line.
    mutating func openBackup(
        _ reply: [UInt8], _ exchange: Exchange, using context: inout HTTPContext
    ) {
        var transfer = BackupTransfer(
            id: member("backup", of: reply, { $0.string($1) }, &context) ?? "")
        note(reply, &transfer, exchange, using: &context)
    }

    /// Gives the next line about a copy, if there may be one.
    mutating func nextLine(
        _ exchange: Exchange, _ transfer: BackupTransfer, using context: inout HTTPContext
    ) -> Action? {
        guard transfer.hasLine, acceptsLines else { return nil }
        var transfer = transfer
        context.work -= HTTPLimits.workPerRequest
        context.lines.bytes.removeAll(keepingCapacity: true)
        transfer.write(to: &context.lines)
        transfer.isAsking = true
        transfer.isDue = false
        phase = .copying(exchange, transfer)
        return .lines
    }

    /// Takes the reply to a line about a copy.
    ///
    /// - Parameter reply: Its members, as an object; `nil` for an error.
    mutating func translate(
        backup reply: [UInt8]?, _ exchange: Exchange, _ transfer: BackupTransfer,
        using context: inout HTTPContext
    ) {
        var transfer = transfer
        transfer.isAsking = false
        // What failed to be removed is removed with the connection, or after a minute.
        if transfer.isComplete { return endAnswer(exchange, using: context) }
        guard let reply else { return breakOff(exchange, using: context) }
        if transfer.length == nil {
            return note(reply, &transfer, exchange, using: &context)
        }
        let data = member("data", of: reply, { $0.string($1) }, &context)
        // A damaged disk may hold less than it did.
        guard let piece = data.flatMap(Base64.decode), !piece.isEmpty else {
            return breakOff(exchange, using: context)
        }
        context.work -= piece.count / 256
        outbound.writer.raw(piece)
        transfer.sent += Int64(piece.count)
        phase = .copying(exchange, transfer)
    }

    /// Ends the connection amid the answer: its client misses bytes, and can't take what it has for
    /// all of them.
    private mutating func breakOff(_ exchange: Exchange, using context: borrowing HTTPContext) {
        end = end ?? .httpRefused
        endAnswer(exchange, using: context)
    }

    /// Takes the progress of a copy, and begins the answer when it is complete.
    private mutating func note(
        _ reply: [UInt8], _ transfer: inout BackupTransfer, _ exchange: Exchange,
        using context: inout HTTPContext
    ) {
        transfer.length = member("bytes", of: reply, { $0.integer($1) }, &context)
        if let length = transfer.length {
            begin(200, to: exchange, bytes: Int(length), using: &context)
            outbound.writer.literal("Content-Type: application/vnd.sqlite3\r\nContent-Length: ")
            outbound.writer.integer(length)
            outbound.writer.literal(
                "\r\nContent-Disposition: attachment; filename=\"grove.db\"\r\n")
            if !exchange.keepsAlive { outbound.writer.literal("Connection: close\r\n") }
            outbound.writer.literal("\r\n")
        }
        phase = .copying(exchange, transfer)
    }
}
