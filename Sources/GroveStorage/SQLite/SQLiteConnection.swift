import CSQLite
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connection to a data file: opening, settings, transactions, checkpoints.
///
/// It takes constant SQL only: every text is a `StaticString`, every value a bound parameter.
final class SQLiteConnection {
    private(set) var handle: OpaquePointer?

    /// The number of pages in the write-ahead log after a commit; SQLite's hook writes it.
    private let walPages: UnsafeMutablePointer<Int32>

    /// Switches off SQLite's count of allocations, once per process and before SQLite is first
    /// used. A program that used SQLite before keeps the count, which only costs time.
    private static let processSettings: Void = {
        _ = grove_sqlite_memory_statistics_off()
    }()

    /// The name of SQLite's file layer (https://sqlite.org/vfs.html).
    static let fileLayer = "unix-excl"

    /// Opens an existing file for reading and writing. Doesn't read or write any byte of it yet.
    ///
    /// - Parameters:
    ///   - path: The file, absolute.
    ///   - vfs: The file layer; `nil` for the system's, with the index of the log in memory and
    ///     the file locked for other processes from the first read on, but open to other
    ///     connections of this process (https://sqlite.org/vfs.html, "unix-excl").
    ///   - isImmutable: Whether the file is only read and doesn't change meanwhile. Then SQLite
    ///     needs no lock, no log and no permission to write, and ignores the content of a log.
    init(
        path: String, vfs: String? = nil, isImmutable: Bool = false
    ) throws(SQLiteFailure) {
        _ = SQLiteConnection.processSettings
        walPages = .allocate(capacity: 1)
        walPages.initialize(to: 0)
        let access =
            isImmutable ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE
        let code = sqlite3_open_v2(
            isImmutable ? Self.immutableURI(path) : path, &handle,
            access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs ?? Self.fileLayer)
        guard code == SQLITE_OK else {
            let failure = SQLiteConnection.failure(of: handle)
            close()
            throw failure
        }
        do { try harden() } catch {
            close()
            throw error
        }
    }

    /// Returns a URI that opens a path as immutable (https://sqlite.org/uri.html).
    private static func immutableURI(_ path: String) -> String {
        var escaped: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"): escaped += Array("%25".utf8)
            case UInt8(ascii: "?"): escaped += Array("%3f".utf8)
            case UInt8(ascii: "#"): escaped += Array("%23".utf8)
            default: escaped.append(byte)
            }
        }
        return "file:\(String(decoding: escaped, as: UTF8.self))?immutable=1"
    }

    deinit {
        // Statements may still be deinitialized after this: the last of them closes.
        sqlite3_close_v2(handle)
        walPages.deallocate()
    }

    /// Closes the connection. All of its statements must be gone.
    func close() {
        guard let open = handle else { return }
        handle = nil
        let code = sqlite3_close(open)
        precondition(code == SQLITE_OK, "a connection was closed before its statements")
    }

    /// Returns the failure of the last call on a connection; must follow that call at once.
    ///
    /// Reads `errno` directly: a failing COMMIT doesn't set `sqlite3_system_errno`, which would
    /// return an older error.
    static func failure(of handle: OpaquePointer?) -> SQLiteFailure {
        let systemError = errno
        guard let handle else {
            return SQLiteFailure(code: SQLITE_NOMEM, systemError: 0, message: "out of memory")
        }
        let code = sqlite3_extended_errcode(handle)
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        return SQLiteFailure(
            code: code, systemError: isOfSystem ? systemError : 0,
            message: String(cString: sqlite3_errmsg(handle)))
    }

    /// Prepares a statement that is kept.
    func prepare(_ sql: StaticString) throws(SQLiteFailure) -> Statement {
        try Statement(sql, on: handle)
    }

    /// Prepares a query for a reader of the store.
    func query(_ sql: StaticString) throws(StoreError) -> Statement {
        do { return try prepare(sql) } catch { throw error.storeError }
    }

    /// Runs a statement once, over all its rows.
    func execute(_ sql: StaticString) throws(SQLiteFailure) {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    /// Returns the first column of the first row as a text; empty when there is no row.
    func text(_ sql: StaticString) throws(SQLiteFailure) -> String {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : ""
    }

    /// Returns the first column of the first row as an integer; 0 when there is no row.
    func integer(_ sql: StaticString) throws(SQLiteFailure) -> Int64 {
        let statement = try prepare(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last insert, update or delete changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// The number of pages in the write-ahead log after the last commit, checkpointed or not.
    var pagesInLog: Int { Int(walPages.pointee) }

    /// Moves the write-ahead log into the data file and syncs it.
    ///
    /// - Throws: Also when some pages could not be moved.
    func checkpoint(_ mode: Int32) throws(SQLiteFailure) {
        let pages = try moveLog(mode)
        guard pages.inLog == pages.moved else {
            throw SQLiteFailure(
                code: SQLITE_IOERR, systemError: 0,
                message: "a checkpoint moved \(pages.moved) of \(pages.inLog) pages")
        }
        // All of it was moved: the next commit restarts the log and its count.
        walPages.pointee = 0
    }

    /// Moves what the write-ahead log has now, while another connection may append to it.
    ///
    /// SQLite syncs the data file only when nothing was appended meanwhile, because only then can
    /// the log be used from its start again. So this syncs it in any case, and little is left to
    /// sync for the one who moves the rest.
    ///
    /// - Returns: The pages of the log that are in the data file now.
    func moveLogBesideCommits() throws(SQLiteFailure) -> Int {
        let pages = try moveLog(SQLITE_CHECKPOINT_PASSIVE)
        try syncDataFile()
        return pages.moved
    }

    private func moveLog(_ mode: Int32) throws(SQLiteFailure) -> (inLog: Int, moved: Int) {
        var inLog: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &inLog, &moved)
        guard code == SQLITE_OK else { throw SQLiteConnection.failure(of: handle) }
        return (Int(inLog), Int(moved))
    }

    private func syncDataFile() throws(SQLiteFailure) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let found = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard found == SQLITE_OK, let methods = file?.pointee.pMethods else {
            throw SQLiteConnection.failure(of: handle)
        }
        let code = methods.pointee.xSync(file, SQLITE_SYNC_FULL)
        guard code == SQLITE_OK else {
            throw SQLiteFailure(
                code: code, systemError: errno, message: "the data file can't be synced")
        }
    }

    /// Another connection has moved the first `pages` pages of the log. If that is all of it, the
    /// next commit restarts the log.
    func noteMoved(pages: Int) {
        if pagesInLog == pages { walPages.pointee = 0 }
    }

    /// Sets how long a transaction waits for another connection of this process.
    func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    /// Sets whether closing moves the write-ahead log into the data file and removes it. Off until
    /// the file is accepted, so that a rejected one stays as it was; and after any failure.
    func setCheckpointOnClose(_ on: Bool) throws(SQLiteFailure) {
        try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !on)
    }

    /// Starts counting the pages of the write-ahead log. SQLite has only one hook, which its
    /// automatic checkpoints also use; those are off.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { place, _, _, pages in
                place?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, walPages)
    }

    private func configure(_ option: Int32, _ on: Bool) throws(SQLiteFailure) {
        let code = grove_sqlite_db_config(handle, option, on ? 1 : 0)
        guard code == SQLITE_OK else {
            throw SQLiteFailure(
                code: code, systemError: 0, message: "SQLite lacks setting \(option)")
        }
    }

    /// Disables everything that a hostile file could make SQLite run: triggers, views, extensions
    /// and attached files. Sets small limits (https://sqlite.org/security.html).
    private func harden() throws(SQLiteFailure) {
        try configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        try configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
        try configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
        try configure(SQLITE_DBCONFIG_ENABLE_VIEW, false)
        try setCheckpointOnClose(false)
        let limits: [(Int32, Int32)] = [
            (SQLITE_LIMIT_LENGTH, Int32(StoreLimits.inflatedBytesMax + (1 << 16))),
            (SQLITE_LIMIT_SQL_LENGTH, 8_192), (SQLITE_LIMIT_COLUMN, 32),
            (SQLITE_LIMIT_EXPR_DEPTH, 32), (SQLITE_LIMIT_COMPOUND_SELECT, 4),
            (SQLITE_LIMIT_VDBE_OP, 10_000), (SQLITE_LIMIT_FUNCTION_ARG, 8),
            (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 16),
            (SQLITE_LIMIT_VARIABLE_NUMBER, 16), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (SQLITE_LIMIT_WORKER_THREADS, 0),
        ]
        for (limit, value) in limits { sqlite3_limit(handle, limit, value) }
    }
}
