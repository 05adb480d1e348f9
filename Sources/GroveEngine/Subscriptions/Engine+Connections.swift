extension Engine {
    /// Removes a closed connection. Its waiting requests are answered with the next flush, because
    /// every request is counted until its reply.
    public mutating func connectionClosed(_ connection: ConnectionID) {
        subscriptions.remove(connection)
        for token in waiters.removeAll(of: connection) + pages.remove(of: connection) {
            batch.holdClosed(connection, token)
        }
        // Its requests for backups and counts are answered too, but no backup begins.
        for index in batch.afterCommit.indices
        where batch.afterCommit[index].connection == connection {
            batch.afterCommit[index] = Request(
                connection: connection, token: batch.afterCommit[index].token,
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
