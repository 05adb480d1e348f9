import GroveEngine
import OrderedJSON

extension RequestDecoder {
    /// The reason of a `stop` or `suspend`, which is stored.
    func reason() throws(WireError) -> String? {
        try text("reason", bytesMax: Limits.stopReasonBytesMax)
    }
}

extension ReplyEncoder {
    /// Appends the fields of the replies to `stop` and `delete`.
    func append(version: Int64, _ cursor: Cursor, _ writer: inout JSONWriter) {
        writer.member("v", version)
        self.cursor(cursor, &writer)
    }
}
