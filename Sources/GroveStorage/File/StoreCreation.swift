import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Creates data files. A file is complete under a temporary name before it gets its own. So a file
/// under its own name always has its header and tables, even after a power cut.
enum StoreCreation {
    /// Creates `path`, which must not exist, and closes it.
    ///
    /// - Throws: `.corrupt` when a write-ahead log exists without its file; `.owned` when another
    ///   process is creating the file; `.full`, `.inputOutput`.
    static func create(_ path: String, options: SQLiteStoreOptions) throws(StoreOpenError) {
        for companion in ["-wal", "-journal"] where StoreFile.size(path + companion) != nil {
            throw .corrupt("\(path) is missing, but \(path)\(companion) is there")
        }
        let temporary = path + ".new"
        try removeLeftOver(temporary)
        let file = try StoreFile.create(temporary)
        do throws(StoreOpenError) {
            try fill(temporary, options)
            guard fsync(file.descriptor) == 0 else {
                throw .inputOutput(StoreFile.systemError("\(temporary) cannot be synced"))
            }
            // Unlike `rename`, `link` fails when the name was taken in the meantime.
            guard link(temporary, path) == 0 else {
                if errno == EEXIST { throw .owned("another server made it at this moment") }
                throw .inputOutput(StoreFile.systemError("\(path) cannot be made"))
            }
        } catch {
            for name in ["", "-journal", "-wal"] { unlink(temporary + name) }
            throw error
        }
        unlink(temporary)
        try StoreFile.syncDirectory(of: path)
    }

    /// Removes the temporary name of a file that already has its own name: a crash can leave both.
    /// Another file under the temporary name stays.
    static func removeSecondName(of path: String) {
        var (own, other) = (stat(), stat())
        guard lstat(path, &own) == 0, lstat(path + ".new", &other) == 0,
            own.st_dev == other.st_dev, own.st_ino == other.st_ino
        else { return }
        unlink(path + ".new")
    }

    /// Removes the files left by a crash during creation, unless another process holds them.
    private static func removeLeftOver(_ temporary: String) throws(StoreOpenError) {
        guard let old = try StoreFile.open(temporary) else { return }
        unlink(temporary)
        for companion in ["-wal", "-journal"] { unlink(temporary + companion) }
        withExtendedLifetime(old.descriptor) {}
    }

    private static func fill(
        _ path: String, _ options: SQLiteStoreOptions
    ) throws(StoreOpenError) {
        do throws(SQLiteFailure) {
            let connection = try SQLiteConnection(path: path, vfs: options.vfs)
            defer { connection.close() }
            try connection.setCheckpointOnClose(true)
            try connection.execute("PRAGMA page_size=8192")
            try connection.execute("PRAGMA encoding='UTF-8'")
            try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
            try connection.execute("PRAGMA synchronous=EXTRA")
            try connection.execute("BEGIN EXCLUSIVE")
            try connection.execute("PRAGMA application_id=1198681974")
            try connection.execute("PRAGMA user_version=8")
            try Schema.create(connection)
            let meta = freshMeta()
            try MetaTable(connection).write(meta)
            try FloorTable.write(Floor(meta), connection)
            try RedoTable.write(RedoPoint(step: 0), connection)
            try connection.execute("COMMIT")
            try connection.execute("PRAGMA journal_mode=WAL")
        } catch { throw StoreOpenError(error) }
    }

    private static func freshMeta() -> Meta {
        var random = SystemRandomNumberGenerator()
        let id = LogID(high: random.next(), low: random.next())
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let milliseconds = Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
        return Meta(logID: id, created: milliseconds)
    }
}
