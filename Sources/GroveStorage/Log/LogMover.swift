import CSQLite
import Synchronization

/// Moves the write-ahead log into the data file while commits continue.
///
/// SQLite lets one connection copy pages out of the log while another one appends to it, and uses
/// the log from its start again once all pages are copied and synced
/// (https://sqlite.org/wal.html#ckpt). So a pass moves what the log had at its start, and the store
/// moves the rest, which is little, between two commits.
///
/// The connection is only used within a pass.
final class LogMover: Sendable {
    /// Runs work later and beside commits, one after the other.
    typealias Queue = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// What there is of a pass.
    enum Pass: Sendable {
        case none
        /// It waits for its turn or runs.
        case begun
        /// It has moved this number of pages, counted from the start of the log.
        case ended(pages: Int)
        case failed(SQLiteFailure)
    }

    private let queue: Queue
    private let connection: Mutex<SQLiteConnection?>
    private let pass = Mutex(Pass.none)

    /// Opens a second connection to a data file.
    ///
    /// - Parameter store: The first one, of this process. A pass that reads the index of the log
    ///   while it is being changed takes the right to write for a moment, and reads it again. The
    ///   store's next transaction waits then; without another connection it never would.
    init(
        besides store: SQLiteConnection, path: String, vfs: String?, queue: @escaping Queue
    ) throws(SQLiteFailure) {
        store.setBusyTimeout(milliseconds: StoreLimits.busyMilliseconds)
        let opened = try SQLiteConnection(path: path, vfs: vfs)
        // How a pass syncs.
        try opened.execute("PRAGMA synchronous=FULL")
        try opened.execute("PRAGMA checkpoint_fullfsync=ON")
        // Without a read, SQLite doesn't know yet that there is a log.
        _ = try opened.integer("PRAGMA user_version")
        connection = Mutex(opened)
        self.queue = queue
    }

    /// Begins a pass. There must be none.
    func begin() {
        pass.withLock { $0 = .begun }
        queue { self.run() }
    }

    /// Returns the pass; one that is over only once.
    func take() -> Pass {
        pass.withLock { pass in
            let now = pass
            if case .begun = now { return now }
            pass = .none
            return now
        }
    }

    /// The failure of a pass that is over and wasn't taken.
    var failure: SQLiteFailure? {
        pass.withLock { pass in
            if case .failed(let failure) = pass { return failure }
            return nil
        }
    }

    /// Waits for a pass that runs, and calls off one that doesn't yet.
    ///
    /// - Throws: The failure of the pass.
    func stop() throws(SQLiteFailure) {
        let last = connection.withLock { _ in
            pass.withLock { pass in
                defer { pass = .none }
                return pass
            }
        }
        if case .failed(let failure) = last { throw failure }
    }

    /// Waits for a pass and closes the connection.
    func close() {
        connection.withLock { connection in
            pass.withLock { $0 = .none }
            connection?.close()
            connection = nil
        }
    }

    private func run() {
        connection.withLock { connection in
            guard let connection, case .begun = pass.withLock({ $0 }) else { return }
            let result: Pass
            do throws(SQLiteFailure) {
                result = .ended(pages: try connection.moveLogBesideCommits())
            } catch {
                // A commit changed the index of the log at the same time: nothing was moved.
                result = error.primary == SQLITE_BUSY ? .ended(pages: 0) : .failed(error)
            }
            pass.withLock { $0 = result }
        }
    }
}
