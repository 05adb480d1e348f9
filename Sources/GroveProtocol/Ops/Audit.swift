import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

extension RequestDecoder {
    func audit() throws(WireError) -> AccountsRequest {
        AccountsRequest(
            .audit(after: try count("after") ?? 0, limit: try limit()), op: .audit)
    }
}

extension ReplyEncoder {
    mutating func append(
        _ entries: [AuditEntry], next: Int64?, _ writer: inout JSONWriter
    ) {
        writer.array("items", entries) { writer, entry in
            writer.object { writer in
                writer.member("n", entry.number)
                instant(entry.time, as: #","time":""#, &writer)
                writer.member("by", entry.by)
                writer.member("from", entry.from)
                writer.array("changes", entry.changes)
                writer.member("hash", entry.hashText)
            }
        }
        writer.member("next", next)
    }
}
