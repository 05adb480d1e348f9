import GroveWire
import OrderedJSON

/// Moving data as a whole: copies of a server's data, and instances from elsewhere (protocol.md,
/// "backup" and "import").
extension Client {
    /// Begins a copy of all of the server's data. It is this connection's, and gone with it.
    ///
    /// - Throws: ``ClientError/server(_:)`` with `OVERLOADED` while another one is under way, with
    ///   `BAD_REQUEST` where data is in memory only; and every other case of ``ClientError`` but
    ///   `gap`.
    public nonisolated func beginBackup(
        timeout: Duration? = nil
    ) async throws(ClientError) -> BackupStatus {
        try BackupStatus(try await request(Request(.backup), timeout: timeout))
    }

    /// How far a copy is.
    ///
    /// - Throws: ``ClientError/server(_:)`` with what has ended it, such as `STORAGE_FULL`, or
    ///   `BAD_REQUEST` when it is gone; and every other case of ``ClientError`` but `gap`.
    public nonisolated func backupStatus(
        _ id: String, timeout: Duration? = nil
    ) async throws(ClientError) -> BackupStatus {
        try BackupStatus(try await request(Request.backup(id), timeout: timeout))
    }

    /// Bytes of a complete copy from `offset` on, with their checksum verified: at most `count`,
    /// or 256 KiB; none at its end.
    public nonisolated func readBackup(
        _ id: String, at offset: Int64, count: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> [UInt8] {
        var request = Request.backup(id)
        request.set("offset", .integer(offset))
        if let count { request.set("bytes", .integer(Int64(count))) }
        return try BackupChunk(try await self.request(request, timeout: timeout), at: offset).bytes
    }

    /// Has the server remove a copy.
    public nonisolated func endBackup(
        _ id: String, timeout: Duration? = nil
    ) async throws(ClientError) {
        var request = Request.backup(id)
        request.set("end", .bool(true))
        _ = try await self.request(request, timeout: timeout)
    }
}

extension Request {
    fileprivate static func backup(_ id: String) -> Request {
        var request = Request(.backup)
        request.set("backup", .string(id))
        return request
    }

    /// An `import`: makes an instance in a given state, at a given version.
    ///
    /// - Parameters:
    ///   - name: the instance, `machine/instance`.
    ///   - version: the version it begins with.
    ///   - state: its state, JSON without newlines.
    ///   - definitionVersion: the version of the machine that has stored the state, as an export
    ///     tells it: a server with a later one migrates it. `nil` for a state that is given whole,
    ///     as the server's machine writes it.
    ///   - isDone: whether it is done.
    ///   - result: its result, JSON without newlines; only of one that is done.
    ///   - dedup: a key that makes a repeat harmless, also when there were events since.
    ///   - isTrial: whether everything is checked and nothing done.
    public static func importing(
        _ name: String, version: Int64, state: some Collection<UInt8>,
        definitionVersion: String? = nil, isDone: Bool = false, result: [UInt8]? = nil,
        dedup: String? = nil, isTrial: Bool = false
    ) -> Request {
        var request = Request.about(name, .import)
        request.set("v", .integer(version))
        request.set("state", text: state)
        if let definitionVersion {
            request.set("definition", .object(["version": .string(definitionVersion)]))
        }
        if isDone { request.set("done", .bool(true)) }
        if let result { request.set("result", text: result) }
        if let dedup { request.set("dedup", .string(dedup)) }
        if isTrial { request.set("trial", .bool(true)) }
        return request
    }
}
