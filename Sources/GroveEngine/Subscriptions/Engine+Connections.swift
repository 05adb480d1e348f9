extension Engine {
    /// Forgets a connection that is gone. What it still waits for is answered with the next
    /// flush: nobody reads that, but whoever counts requests counts every answer.
    public mutating func connectionClosed(_ connection: ConnectionID) {
        subscriptions.remove(connection)
        for token in waiters.removeAll(of: connection) + pages.remove(of: connection) {
            batch.holdClosed(connection, token)
        }
        // Its requests for backups are answered too, but none begins.
        for index in batch.backups.indices where batch.backups[index].connection == connection {
            batch.backups[index].operation = .backup(BackupRequest(.end("")))
        }
        backup.connectionClosed(connection)
    }

    /// Changes how many bytes of records may be on their way to one connection.
    public mutating func setConnectionWindow(_ bytes: Int) {
        subscriptions.setWindow(max(1, bytes))
    }

    /// Records that publications left a connection's buffer: all up to a sum of weights, counted
    /// from the connection's beginning. Resumes its subscriptions if they had paused.
    public mutating func drained(_ connection: ConnectionID, through weight: Int) {
        subscriptions.drain(connection, through: weight)
    }
}
