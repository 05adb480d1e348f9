import GroveEngine
import GroveWire
import OrderedJSON

/// Answers about backups.
extension ReplyEncoder {
    func append(_ backup: Reply.Backup, _ writer: inout JSONWriter) {
        writer.literal(#","backup":"#)
        switch backup {
        case .state(let id, let progress):
            writer.string(id)
            writer.literal(#","copied":"#)
            writer.integer(progress.copied)
            writer.literal(#","pages":"#)
            writer.integer(progress.pages)
            if let bytes = progress.bytes {
                writer.literal(#","bytes":"#)
                writer.integer(bytes)
            }
        case .chunk(let id, let offset, let bytes):
            writer.string(id)
            writer.literal(#","offset":"#)
            writer.integer(offset)
            writer.literal(#","data":""#)
            Base64.append(bytes, to: &writer.bytes)
            writer.literal(#"","crc32":"#)
            writer.integer(Int64(CRC32.of(bytes)))
        }
    }
}
