import GroveWire
import OrderedJSON

extension Client {
    /// Starts a copy of all of the server's data. It belongs to this connection and is removed
    /// with it.
    ///
    /// - Throws: ``ClientError``, such as `OVERLOADED` while another copy runs, or `BAD_REQUEST`
    ///   for data that is in memory only.
    public nonisolated func beginBackup(
        timeout: Duration? = nil
    ) async throws(ClientError) -> BackupStatus {
        try BackupStatus(try await request(Request(.backup), timeout: timeout))
    }

    /// The progress of a copy.
    ///
    /// - Throws: ``ClientError``, such as the error that ended the copy, `STORAGE_FULL` for
    ///   example, or `BAD_REQUEST` when it is gone.
    public nonisolated func backupStatus(
        _ id: String, timeout: Duration? = nil
    ) async throws(ClientError) -> BackupStatus {
        let request = Request(.backup).with("backup", id)
        return try BackupStatus(try await self.request(request, timeout: timeout))
    }

    /// Reads bytes of a complete copy from `offset` on and verifies their checksum: at most
    /// `count`, or 256 KiB; none at its end.
    ///
    /// - Throws: ``ClientError``; bytes with another checksum or offset are
    ///   ``ClientError/protocolViolation(_:)``.
    public nonisolated func readBackup(
        _ id: String, at offset: Int64, count: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> [UInt8] {
        let request = Request(.backup).with("backup", id).with("offset", offset)
            .with("bytes", count)
        let fields = try await self.request(request, timeout: timeout).fields
        let text = try fields.required("data", Fields.string)
        let checksum = try fields.required("crc32", Fields.integer)
        guard fields.integer("offset") == offset, let bytes = Base64.decode(text),
            Int64(CRC32.of(bytes)) == checksum
        else { throw .protocolViolation("a piece of the backup was changed on the way") }
        return bytes
    }

    /// Removes a copy from the server.
    public nonisolated func endBackup(
        _ id: String, timeout: Duration? = nil
    ) async throws(ClientError) {
        let request = Request(.backup).with("backup", id).with("end", true)
        _ = try await self.request(request, timeout: timeout)
    }
}
