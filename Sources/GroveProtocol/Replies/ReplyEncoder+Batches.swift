import GroveEngine
import OrderedJSON

/// What the replies to `batch` and `can` tell.
extension ReplyEncoder {
    /// Appends `results`: each like the reply to a `send`, without an id.
    func append(_ results: [Reply.BatchResult], _ writer: inout JSONWriter) {
        writer.literal(#","results":["#)
        for (index, result) in results.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            switch result {
            case .sent(let sent):
                writer.literal(#"{"ok":true,"v":"#)
                append(sent, &writer)
            case .failure(let failure):
                // In this protocol's own shape, whatever the shape of the line.
                writer.bytes.append(UInt8(ascii: "{"))
                WireError(failure, cursors: cursors).append(to: &writer)
            }
            writer.bytes.append(UInt8(ascii: "}"))
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }

    /// Appends the fields of a reply to `can`.
    func append(_ can: Reply.Can, _ writer: inout JSONWriter) {
        if let state = can.state {
            writer.literal(#","can":true,"state":"#)
            writer.rawOrNull(state)
            return
        }
        writer.literal(#","can":false,"accepts":["#)
        for (index, name) in can.accepts.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            writer.string(name)
        }
        writer.bytes.append(UInt8(ascii: "]"))
        if let reason = can.reason {
            writer.literal(#","reason":"#)
            writer.string(reason)
        }
    }
}
