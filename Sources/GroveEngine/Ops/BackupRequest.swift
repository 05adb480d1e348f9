/// `backup`: begins a copy of the server's data, looks at it, reads it, or ends it.
public struct BackupRequest: Sendable, Equatable {
    /// What is to be done.
    public enum Action: Sendable, Equatable {
        /// A new copy is begun.
        case begin
        /// How far this one is.
        case look(String)
        /// Bytes of it from an offset on, at most so many.
        case read(String, offset: Int64, count: Int)
        /// It isn't wanted any more.
        case end(String)
    }

    /// What is to be done.
    public var action: Action

    /// Puts a request together.
    public init(_ action: Action) { self.action = action }
}

extension Reply {
    /// The answer to `backup`, but for the end of one, which has nothing more to say.
    public enum Backup: Sendable, Equatable {
        /// How far the copy of this id is.
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
