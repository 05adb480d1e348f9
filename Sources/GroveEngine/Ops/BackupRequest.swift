/// `backup`: begins a copy of the server's data, or reports on it, reads it, ends it.
public struct BackupRequest: Sendable, Equatable {
    /// The action.
    public enum Action: Sendable, Equatable {
        /// Begins a new copy.
        case begin
        /// Reports the progress of this copy.
        case look(String)
        /// Reads at most `count` bytes from an offset on.
        case read(String, offset: Int64, count: Int)
        /// Ends this copy.
        case end(String)
    }

    /// The action.
    public var action: Action

    /// A request for one action.
    public init(_ action: Action) { self.action = action }
}

extension Reply {
    /// The answer to `backup`; the end of a copy is answered with ``Reply/done``.
    public enum Backup: Sendable, Equatable {
        /// The progress of a copy, with its id.
        case state(String, BackupProgress)
        /// Bytes of it.
        case chunk(String, offset: Int64, [UInt8])
    }
}

extension Engine {
    /// Queues a request for a backup until the commit.
    mutating func hold(_ request: Request) -> Reply? {
        batch.backups.append(request)
        return nil
    }
}
