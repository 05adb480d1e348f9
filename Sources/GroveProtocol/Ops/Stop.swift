import GroveEngine
import OrderedJSON

extension RequestDecoder {
    /// The reason of a `stop` or `suspend`, which is stored.
    func reason() throws(WireError) -> String? {
        try text("reason", bytesMax: Limits.stopReasonBytesMax)
    }
}

extension ReplyEncoder {
    func append(version: Int64, _ cursor: Cursor, _ writer: inout JSONWriter) {
        writer.member("v", version)
        self.cursor(cursor, &writer)
    }
}
