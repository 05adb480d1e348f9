import CSQLite
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A copy of a store that is made while the store works (https://sqlite.org/backup.html).
///
/// Its source is the store's own connection, so what is committed meanwhile goes into pages that
/// were copied already, too, and the copy never begins anew because of it. Nothing of the copy is
/// synced: it is handed out and removed, and a crash makes it worthless anyway.
///
/// The copy stands under its name only while it is made. Once complete it has no name any more,
/// only a descriptor: a process that ends leaves nothing behind.
final class SQLiteBackup: StoreBackup {
    /// Pages of one turn, 512 KiB at the usual size: some tenths of a millisecond.
    static let pagesPerTurn: Int32 = 64

    private weak var store: SQLiteStore?
    private let path: String
    private var file: StoreFile?
    private var connection: SQLiteConnection?
    private var handle: OpaquePointer?

    private(set) var progress: BackupProgress

    /// Makes the file of the copy.
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
        // First, so that the log of the finished copy needs no shared memory.
        try copy.execute("PRAGMA locking_mode=EXCLUSIVE")
        try copy.execute("PRAGMA synchronous=OFF")
        // Of a file that begins empty, it holds nothing.
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
        let code = sqlite3_backup_step(handle, Self.pagesPerTurn)
        let systemError = errno
        progress.pages = Int64(sqlite3_backup_pagecount(handle))
        progress.copied = progress.pages - Int64(sqlite3_backup_remaining(handle))
        switch code {
        // The source is never busy: its one connection is this one.
        case SQLITE_OK: return
        case SQLITE_DONE:
            do throws(SQLiteFailure) { try seal(store) } catch { throw Self.error(error) }
        default:
            throw Self.error(
                SQLiteFailure(
                    code: code, systemError: systemError,
                    message: String(cString: sqlite3_errstr(code))))
        }
    }

    /// Nothing of the store is damaged or lost when its copy fails.
    private static func error(_ failure: SQLiteFailure) -> StoreError {
        failure.isFull ? .full : .inputOutput(failure.description)
    }

    /// Makes the copied pages a data file of their own, and takes its name away.
    private func seal(_ store: SQLiteStore) throws(SQLiteFailure) {
        try finishCopying()
        guard let connection else { return }
        try MetaTable(connection).write(store.metaOfCopy)
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

    /// Whether nothing of it is there any more.
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

    /// Removes what stands under the name of a copy and those that SQLite derives from it.
    static func remove(_ path: String) {
        for ending in ["", "-journal", "-wal"] { unlink(path + ending) }
    }
}
