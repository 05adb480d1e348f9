import CSQLite
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A copy of a store, made while the store is in use (https://sqlite.org/backup.html).
///
/// Its source is the store's own connection. So SQLite also writes later commits to pages that were
/// already copied, and the copy never restarts because of them. The copy isn't synced: clients read
/// it and it is removed, and a crash makes it worthless anyway.
///
/// The copy has a name only while it is made. A complete one has only a descriptor, so a process
/// that ends leaves no file.
final class SQLiteBackup: StoreBackup {
    private weak var store: SQLiteStore?
    private let path: String
    private var file: StoreFile?
    private var connection: SQLiteConnection?
    private var handle: OpaquePointer?

    private(set) var progress: BackupProgress
    /// How often the copy began again, which it does when a commit of the source is undone.
    private var restarts = 0

    static func begin(_ store: SQLiteStore) throws(StoreError) -> SQLiteBackup {
        let path = SQLiteStore.pathOfCopy(store.path)
        remove(path)
        do throws(StoreOpenError) {
            let file = try StoreFile.create(path)
            do throws(SQLiteFailure) {
                let connection = try SQLiteConnection(path: path, vfs: store.options.vfs)
                do throws(SQLiteFailure) {
                    let handle = try attach(connection, to: store.connection)
                    return SQLiteBackup(store, path, file, connection, handle)
                } catch {
                    connection.close()
                    throw error
                }
            } catch { throw StoreOpenError(error) }
        } catch {
            remove(path)
            switch error {
            case .full: throw .full
            default: throw .inputOutput("a copy can't be begun beside the data file")
            }
        }
    }

    private static func attach(
        _ copy: SQLiteConnection, to source: SQLiteConnection
    ) throws(SQLiteFailure) -> OpaquePointer {
        try copy.execute("PRAGMA synchronous=OFF")
        // The file is new and empty, so the rollback journal holds nothing.
        try copy.execute("PRAGMA journal_mode=MEMORY")
        try copy.execute("PRAGMA cache_size=-4096")
        guard let handle = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else {
            throw SQLiteConnection.failure(of: copy.handle)
        }
        return handle
    }

    private init(
        _ store: SQLiteStore, _ path: String, _ file: consuming StoreFile,
        _ connection: SQLiteConnection, _ handle: OpaquePointer
    ) {
        self.store = store
        self.path = path
        self.file = consume file
        self.connection = connection
        self.handle = handle
        progress = BackupProgress(copied: 0, pages: 0)
    }

    deinit { end() }

    func step() throws(StoreError) {
        guard let handle, let store else { return }
        let code = sqlite3_backup_step(handle, StoreLimits.backupPagesPerTurn)
        let systemError = errno
        let before = progress.copied
        progress.pages = Int64(sqlite3_backup_pagecount(handle))
        progress.copied = progress.pages - Int64(sqlite3_backup_remaining(handle))
        if code == SQLITE_OK, before > 0, progress.copied <= before { restarts += 1 }
        // The source's disk is full, and its clients try again and again.
        guard restarts <= StoreLimits.backupRestartsMax else { throw .full }
        switch code {
        // The source is busy for a moment if a pass of its log reads at the same time.
        case SQLITE_OK, SQLITE_BUSY: return
        case SQLITE_DONE:
            do throws(SQLiteFailure) { try seal(store) } catch { throw Self.error(error) }
        default:
            throw Self.error(
                SQLiteFailure(
                    code: code, systemError: systemError,
                    message: String(cString: sqlite3_errstr(code))))
        }
    }

    /// The store's error for a failed copy, which damages nothing in the store.
    private static func error(_ failure: SQLiteFailure) -> StoreError {
        failure.isFull ? .full : .inputOutput(failure.description)
    }

    /// Turns the copied pages into a separate data file and removes its name.
    private func seal(_ store: SQLiteStore) throws(SQLiteFailure) {
        try finishCopying()
        guard let connection else { return }
        var counts = store.state.counts
        try connection.execute("BEGIN")
        if counts.hasChanges { try counts.write(MachineCountTable(connection)) }
        try MetaTable(connection).write(store.metaOfCopy)
        try connection.execute("COMMIT")
        try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        connection.close()
        self.connection = nil
        progress.bytes = Int64(StoreFile.size(path) ?? 0)
        Self.remove(path)
    }

    private func finishCopying() throws(SQLiteFailure) {
        guard let handle else { return }
        self.handle = nil
        let code = sqlite3_backup_finish(handle)
        guard code == SQLITE_OK else {
            throw SQLiteFailure(
                code: code, systemError: errno, message: String(cString: sqlite3_errstr(code)))
        }
    }

    func read(at offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
        guard let total = progress.bytes, let descriptor = file?.descriptor else { return [] }
        let wanted = Int(max(0, min(Int64(count), total - offset)))
        var length = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
            while length < wanted {
                let got = pread(
                    descriptor, buffer.baseAddress?.advanced(by: length), wanted - length,
                    off_t(offset) + off_t(length))
                if got < 0, errno == EINTR { continue }
                if got <= 0 { break }
                length += got
            }
            filled = length
        }
        guard length == wanted else { throw .inputOutput("the copy can't be read") }
        return bytes
    }

    /// Whether the copy was removed.
    private(set) var isEnded = false

    func end() {
        isEnded = true
        if let handle { sqlite3_backup_finish(handle) }
        handle = nil
        let isNamed = connection != nil
        connection?.close()
        connection = nil
        if isNamed { Self.remove(path) }
        file = nil
    }

    /// Removes the files with a copy's name and with the names that SQLite derives from it.
    static func remove(_ path: String) {
        for ending in ["", "-journal", "-wal"] { unlink(path + ending) }
    }
}
