/// `backup`: starts a copy of the server's data, reports its progress, reads it, or removes it.
public struct BackupRequest: Sendable, Equatable {
    /// The action.
    public enum Action: Sendable, Equatable {
        case begin
        case look(String)
        /// Reads at most `count` bytes from an offset on.
        case read(String, offset: Int64, count: Int)
        case end(String)
    }

    public var action: Action

    public init(_ action: Action) { self.action = action }
}

extension Reply {
    /// The answer to `backup`; the end of a copy is answered with ``Reply/done``.
    public enum Backup: Sendable, Equatable {
        case state(String, BackupProgress)
        case chunk(String, offset: Int64, [UInt8])
    }
}

extension Engine {
    /// Queues a request until the commit.
    mutating func hold(_ request: Request) -> Reply? {
        batch.afterCommit.append(request)
        return nil
    }
}
