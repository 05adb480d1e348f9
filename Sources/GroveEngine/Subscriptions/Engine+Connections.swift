extension Engine {
    /// Removes a closed connection. Its waiting requests are answered with the next flush, because
    /// every request is counted until its reply.
    public mutating func connectionClosed(_ connection: ConnectionID) {
        subscriptions.remove(connection)
        for token in waiters.removeAll(of: connection) + pages.remove(of: connection) {
            batch.holdClosed(connection, token)
        }
        // Its requests for backups are answered too, but none begins.
        for index in batch.backups.indices where batch.backups[index].connection == connection {
            batch.backups[index] = Request(
                connection: connection, token: batch.backups[index].token,
                operation: .backup(BackupRequest(.end(""))))
        }
        backup.connectionClosed(connection)
    }

    /// Changes the bound of a connection's unsent records, in bytes.
    public mutating func setConnectionWindow(_ bytes: Int) {
        subscriptions.setWindow(max(1, bytes))
    }

    /// Records that publications have left a connection's buffer: `weight` is the sum of all
    /// weights since the connection began. Resumes its paused subscriptions.
    public mutating func drained(_ connection: ConnectionID, through weight: Int) {
        subscriptions.drain(connection, through: weight)
    }
}
