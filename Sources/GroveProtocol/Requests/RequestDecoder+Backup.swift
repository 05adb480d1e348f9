import GroveEngine
import OrderedJSON

/// The ops that move data as a whole.
extension RequestDecoder {
    /// What a `backup` asks: the members that are there say it.
    func backupAction() throws(WireError) -> BackupRequest.Action {
        let offset = try count("offset")
        let ends = try flag("end") ?? false
        let bytes = try chunkBytes()
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

    private func chunkBytes() throws(WireError) -> Int? {
        guard let node = member("bytes") else { return nil }
        let bound = 1...Int64(Limits.backupChunkBytesMax)
        guard let bytes = document.integer(node), bound.contains(bytes) else {
            throw .badRequest(
                "$.bytes", "bytes is an integer from 1 to \(Limits.backupChunkBytesMax)")
        }
        return Int(bytes)
    }

    /// The instance that an `import` makes.
    func importing(_ fields: Fields) throws(WireError) -> Import {
        let to = try to(fields)
        guard let version = try count("v") else { throw .badRequest("$.v", "v is missing") }
        guard version <= Limits.importedVersionMax else {
            throw .badRequest("$.v", "v is at most \(Limits.importedVersionMax)")
        }
        guard let state = member("state") else {
            throw .badRequest("$.state", "state is missing")
        }
        return Import(
            to: to, version: version, state: Array(document.text(state)),
            definitionVersion: try storedVersion(), isDone: try flag("done") ?? false,
            result: member("result").map { Array(document.text($0)) },
            dedup: try dedup(fields), isTrial: try flag("trial") ?? false)
    }

    /// The version in `definition`, which has the form that `get` answers and an export has; what
    /// else is in there isn't looked at.
    private func storedVersion() throws(WireError) -> String? {
        guard let definition = member("definition") else { return nil }
        guard document.kind(definition) == .object else {
            throw .badRequest("$.definition", "definition is an object with the member version")
        }
        guard let node = document.member("version", of: definition) else { return nil }
        guard let version = document.string(node) else {
            throw .badRequest("$.definition.version", "version is a string")
        }
        return version
    }
}
