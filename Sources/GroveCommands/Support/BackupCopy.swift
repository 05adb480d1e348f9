import GroveClient

/// A copy of all of a running server's data, with the progress on standard error.
struct BackupCopy {
    private let client: Client
    private let style: Style

    /// The pause between two requests for the progress of the copy.
    private static let pause = Duration.milliseconds(50)

    init(_ client: Client, _ style: Style) {
        self.client = client
        self.style = style
    }

    /// Lets the server copy its data, and fetches the copy in pieces.
    ///
    /// - Parameter write: Called with each piece, in order.
    /// - Returns: The bytes of the copy, and its pages.
    func fetch(_ write: ([UInt8]) throws -> Void) async throws -> (bytes: Int64, pages: Int64) {
        let status = try await complete()
        let all = status.bytes ?? 0
        var progress = ProgressLine("fetching, bytes", style)
        defer { progress.finish() }
        let piece = try await pieceBytes()
        var offset: Int64 = 0
        while offset < all {
            progress.show(offset, of: all)
            let bytes = try await client.readBackup(status.id, at: offset, count: piece)
            guard !bytes.isEmpty else {
                throw ClientError.protocolViolation("the backup ends before its length")
            }
            offset += Int64(bytes.count)
            try write(bytes)
        }
        try await client.endBackup(status.id)
        return (offset, status.pages)
    }

    /// Waits until the server has copied its data.
    private func complete() async throws -> BackupStatus {
        var progress = ProgressLine("copying, pages", style)
        defer { progress.finish() }
        var status = try await client.beginBackup()
        while status.bytes == nil {
            progress.show(status.copied, of: status.pages)
            try await Task.sleep(for: Self.pause)
            status = try await client.backupStatus(status.id)
        }
        return status
    }

    /// The bytes per piece: its line stays within the server's `max-line`.
    private func pieceBytes() async throws -> Int {
        let line = try await client.connect().lineBytesMax ?? 1 << 20
        return max(1, min(256 << 10, (line - 256) / 4 * 3))
    }
}
