import GroveEngine
import GroveWire
import OrderedJSON

extension RequestDecoder {
    func backupAction() throws(WireError) -> BackupRequest.Action {
        let offset = try count("offset")
        let ends = try flag("end") ?? false
        let bytes = try count("bytes", max: Limits.backupChunkBytesMax)
        guard let id = try text("backup") else {
            if offset != nil { throw .badRequest("$.offset", "offset needs backup") }
            if bytes != nil { throw .badRequest("$.bytes", "bytes needs offset") }
            if ends { throw .badRequest("$.end", "end needs backup") }
            return .begin
        }
        if ends {
            guard offset == nil else { throw .badRequest("$.end", "end goes without offset") }
            return .end(id)
        }
        guard let offset else {
            if bytes != nil { throw .badRequest("$.bytes", "bytes needs offset") }
            return .look(id)
        }
        return .read(id, offset: offset, count: bytes ?? Limits.backupChunkBytesMax)
    }
}

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
