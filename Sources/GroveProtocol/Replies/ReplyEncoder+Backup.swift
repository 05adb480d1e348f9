import GroveEngine
import GroveWire
import OrderedJSON

/// Answers about backups.
extension ReplyEncoder {
    func append(_ backup: Reply.Backup, _ writer: inout JSONWriter) {
        switch backup {
        case .state(let id, let progress):
            writer.member("backup", id)
            writer.member("copied", progress.copied)
            writer.member("pages", progress.pages)
            writer.member("bytes", progress.bytes)
        case .chunk(let id, let offset, let bytes):
            writer.member("backup", id)
            writer.member("offset", offset)
            writer.name("data")
            writer.bytes.append(UInt8(ascii: "\""))
            Base64.append(bytes, to: &writer.bytes)
            writer.bytes.append(UInt8(ascii: "\""))
            writer.member("crc32", Int64(CRC32.of(bytes)))
        }
    }
}
