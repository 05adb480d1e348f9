import GroveWire
import OrderedJSON

extension Client {
    /// Starts a copy of all of the server's data. It belongs to this connection and is removed
    /// with it.
    ///
    /// - Throws: ``ClientError/server(_:)`` with `OVERLOADED` while another copy runs, with
    ///   `BAD_REQUEST` when data is in memory only; and every other case of ``ClientError`` but
    ///   `gap`.
    public nonisolated func beginBackup(
        timeout: Duration? = nil
    ) async throws(ClientError) -> BackupStatus {
        try BackupStatus(try await request(Request(.backup), timeout: timeout))
    }

    /// The progress of a copy.
    ///
    /// - Throws: ``ClientError/server(_:)`` with the error that ended it, such as `STORAGE_FULL`,
    ///   or `BAD_REQUEST` when it is gone; and every other case of ``ClientError`` but `gap`.
    public nonisolated func backupStatus(
        _ id: String, timeout: Duration? = nil
    ) async throws(ClientError) -> BackupStatus {
        let request = Request(.backup).with("backup", id)
        return try BackupStatus(try await self.request(request, timeout: timeout))
    }

    /// Reads bytes of a complete copy from `offset` on and verifies their checksum: at most
    /// `count`, or 256 KiB; none at its end.
    ///
    /// - Throws: ``ClientError/protocolViolation(_:)`` when the bytes don't match their checksum
    ///   or belong to another offset, and every other case of ``ClientError`` but `gap`.
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
