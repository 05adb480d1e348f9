import CSQLite
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Everything between a locked file and a store that is ready. Decides first and writes then: up
/// to `takeOver` no byte of the file, its log or its directory changes.
struct StoreOpening: ~Copyable {
    let path: String
    let options: SQLiteStoreOptions
    let pageBytes: Int
    let connection: SQLiteConnection
    let tables: Tables
    let state: SQLiteStore.State
    let hasGarbage: Bool
    /// Whether the file is only looked at: then no byte of it ever changes.
    let isInspection: Bool
    let canShrink: Bool
    let formerLogID: LogID?
    private let file: StoreFile

    /// Hands the locked file on.
    consuming func takeFile() -> StoreFile { file }

    init(
        file: consuming StoreFile, options: SQLiteStoreOptions, isInspection: Bool = false
    ) throws(StoreOpenError) {
        let path = file.path
        let header = try file.header()
        try Self.requireOurs(header, path)
        let logBytes = StoreFile.size(path + "-wal")
        let logIsEmpty = (logBytes ?? 0) == 0
        if logIsEmpty { try Self.requireWhole(header) }
        if isInspection && !logIsEmpty { try Self.requireWritable(path) }
        do throws(StoreOpenError) {
            // The file is locked: what has no log can be read without any way to write it.
            var inner = try Inner(
                path, options, logIsEmpty: logIsEmpty, isImmutable: isInspection && logIsEmpty)
            if isInspection {
                try inner.countJournal()
            } else {
                try file.makePrivate()
                try inner.takeOver(path)
            }
            connection = inner.connection
            tables = inner.tables
            state = inner.state
            hasGarbage = inner.hasGarbage
            canShrink = inner.canShrink
            formerLogID = inner.formerLogID
        } catch {
            // SQLite makes an empty log as soon as it looks at a file.
            if logBytes == nil, StoreFile.size(path + "-wal") == 0 { unlink(path + "-wal") }
            throw error
        }
        self.path = path
        self.options = options
        pageBytes = header.pageBytes
        self.isInspection = isInspection
        self.file = file
    }

    /// What the plain header must say.
    private static func requireOurs(
        _ header: StoreFile.Header, _ path: String
    ) throws(StoreOpenError) {
        guard header.applicationID == Schema.applicationID else {
            throw .foreign("\(path) is an SQLite file, but not a Grove data file")
        }
        guard header.schema <= Schema.version else {
            throw .newer(schema: Int(header.schema), known: Int(Schema.version))
        }
        guard header.schema >= 1 else {
            throw .foreign("\(path) has schema \(header.schema), which never was")
        }
        guard header.isWriteAhead else {
            throw .foreign(
                "the journal mode of \(path) was changed; "
                    + "set it back with `PRAGMA journal_mode=WAL`")
        }
        guard StoreFile.size(path + "-journal") == nil else {
            throw .foreign("there is a rollback journal beside \(path), which is not Grove's")
        }
    }

    /// A log can be read only by who may write the file.
    private static func requireWritable(_ path: String) throws(StoreOpenError) {
        guard access(path, W_OK) == 0 else {
            throw .inputOutput(
                "there is a write-ahead log beside it (\(path)-wal), and who reads that must have "
                    + "the right to write \(path); or copy both to where they can be written")
        }
    }

    /// Without a log, the file must be as long as it says.
    private static func requireWhole(_ header: StoreFile.Header) throws(StoreOpenError) {
        let expected = header.pages * header.pageBytes
        guard header.pageBytes > 0, header.fileBytes == expected else {
            throw .corrupt("it has \(header.fileBytes) bytes and should have \(expected)")
        }
    }

    /// The part that SQLite takes part in; a class, so that a refusal closes it.
    private struct Inner {
        let connection: SQLiteConnection
        let tables: Tables
        var state: SQLiteStore.State
        let hasGarbage: Bool
        let canShrink: Bool
        /// The id that a copy had until it was taken over.
        var formerLogID: LogID?
        /// The schema of the file as it was found.
        private let version: Int64

        init(
            _ path: String, _ options: SQLiteStoreOptions, logIsEmpty: Bool, isImmutable: Bool
        ) throws(StoreOpenError) {
            do throws(SQLiteFailure) {
                connection = try SQLiteConnection(
                    path: path, vfs: options.vfs, isImmutable: isImmutable)
                try Self.configure(connection)
                if !isImmutable { try Self.configureWriting(connection) }
            } catch { throw StoreOpenError(error) }
            version = try Self.checkSchema(connection)
            do throws(SQLiteFailure) { tables = try Tables(connection) } catch {
                throw StoreOpenError(error)
            }
            do throws(StoreError) {
                let meta = try tables.meta.read()
                if meta.isInUse, logIsEmpty {
                    throw .corrupt(
                        "its write-ahead log (\(path)-wal) is missing or empty, though the last "
                            + "server did not close it: what was committed last is in there")
                }
                let floor = version < 2 ? Floor(meta) : try FloorTable.read(connection)
                state = try Self.readEnd(tables, meta, floor)
                if version >= 3 {
                    state.machines = try MachineFloorTable.read(connection, head: state.head)
                    state.renewFloors()
                }
                if version >= 4 { state.holds = try HoldTable.read(connection) }
                hasGarbage = try tables.garbage.next() != nil
            } catch { throw StoreOpenError(error) }
            do throws(SQLiteFailure) {
                canShrink = try connection.integer("PRAGMA auto_vacuum") == 2
            } catch { throw StoreOpenError(error) }
        }

        /// Settings, each read back where it matters (reliability.md, "Storage rules").
        private static func configure(
            _ connection: SQLiteConnection
        ) throws(SQLiteFailure) {
            // First, so that the lock is taken with the first look and no shared memory is made.
            try require("exclusive", try connection.text("PRAGMA locking_mode=EXCLUSIVE"))
            try connection.execute("PRAGMA cell_size_check=ON")
            try connection.execute("PRAGMA mmap_size=0")
            try connection.execute("PRAGMA temp_store=MEMORY")
            try connection.execute("PRAGMA cache_size=-65536")
        }

        private static func configureWriting(
            _ connection: SQLiteConnection
        ) throws(SQLiteFailure) {
            try connection.execute("PRAGMA secure_delete=FAST")
            try connection.execute("PRAGMA wal_autocheckpoint=0")
            try connection.execute("PRAGMA fullfsync=ON")
            try connection.execute("PRAGMA checkpoint_fullfsync=ON")
            try require("wal", try connection.text("PRAGMA journal_mode"))
            try connection.execute("PRAGMA synchronous=FULL")
            try require("2", try connection.text("PRAGMA synchronous"))
            // What one large commit made of the log is given back after it was moved: 64 MiB stay.
            try connection.execute("PRAGMA journal_size_limit=67108864")
            connection.watchLog()
        }

        private static func require(_ wanted: String, _ found: String) throws(SQLiteFailure) {
            guard wanted == found else {
                throw SQLiteFailure(
                    code: SQLITE_ERROR, systemError: 0,
                    message: "SQLite did not take a setting: \(found) instead of \(wanted)")
            }
        }

        /// The version of the file's schema. The log may hold a newer one than the header.
        private static func checkSchema(
            _ connection: SQLiteConnection
        ) throws(StoreOpenError) -> Int64 {
            let found: [Schema.Object]
            let version: Int64
            do throws(SQLiteFailure) {
                version = try connection.integer("PRAGMA user_version")
                found = try Schema.read(connection)
            } catch { throw StoreOpenError(error) }
            if version > Schema.version {
                throw .newer(schema: Int(version), known: Int(Schema.version))
            }
            if let name = Schema.difference(found, version: version) {
                throw .foreign("its tables are not Grove's: see '\(name)'")
            }
            return version
        }

        /// Where the journal ends, and that its last block is sound and follows the one before.
        private static func readEnd(
            _ tables: Tables, _ meta: Meta, _ floor: Floor
        ) throws(StoreError) -> SQLiteStore.State {
            guard let last = try tables.journal.block(atOrBefore: .max) else {
                guard meta.head == 0 else { throw .corrupt("the journal is empty") }
                return SQLiteStore.State(
                    meta: meta, head: 0, chain: meta.chainSeed, floor: floor)
            }
            let head = last.end - 1
            guard head == meta.head || (meta.isInUse && head > meta.head) else {
                throw .corrupt("the journal ends with step \(head), not \(meta.head)")
            }
            guard try tables.journal.firstHeld(after: 0) == floor.first else {
                throw .corrupt("the journal does not begin with step \(floor.first)")
            }
            var previous = floor.seed
            if last.first > floor.first {
                let before = try tables.journal.block(atOrBefore: last.first - 1)
                guard let before, before.end == last.first else {
                    throw .corrupt("journal step \(last.first - 1) is missing")
                }
                previous = before.chain
            }
            let chain = JournalBlock.chain(
                after: previous, link: last.link, first: last.first,
                count: Int64(last.steps.count))
            guard chain == last.chain else {
                throw .corrupt(
                    "the journal block at \(last.first) does not follow the one before")
            }
            return SQLiteStore.State(meta: meta, head: head, chain: chain, floor: floor)
        }

        /// Gives the file the newest schema, in one transaction of the log, and counts what the
        /// journal got since its size was written down.
        private mutating func bringUpToDate() throws(SQLiteFailure) {
            if version < Schema.version {
                try connection.execute("BEGIN IMMEDIATE")
                do throws(SQLiteFailure) {
                    try Schema.migrate(connection, from: version, &state)
                    try connection.execute("COMMIT")
                } catch {
                    if connection.isInTransaction { try connection.execute("ROLLBACK") }
                    throw error
                }
            }
            if state.floor.counted < state.head {
                try countOn()
                try FloorTable.write(state.floor, connection)
            }
        }

        /// Counts what the journal got since its size was written down.
        private mutating func countOn() throws(SQLiteFailure) {
            state.floor.bytes += try JournalTable.bytes(behind: state.floor.counted, connection)
            state.floor.counted = state.head
        }

        /// Knows the journal's size without writing it down.
        mutating func countJournal() throws(StoreOpenError) {
            do throws(SQLiteFailure) { try countOn() } catch { throw StoreOpenError(error) }
        }

        /// Moves what a crash left in the log into the data file, then marks the file as in use.
        ///
        /// The mark is in the data file itself and the log is never empty while it is set, so a
        /// data file that was copied or kept without its log is noticed at the next start. Hence
        /// the order: mark off, log emptied; mark on in the log, synced; its name in the
        /// directory, synced; mark on in the data file.
        mutating func takeOver(_ path: String) throws(StoreOpenError) {
            do throws(SQLiteFailure) {
                try bringUpToDate()
                var meta = state.meta
                meta.isInUse = false
                meta.head = state.head
                if meta.isCopy {
                    var random = SystemRandomNumberGenerator()
                    formerLogID = meta.logID
                    meta.logID = meta.logID.renewed(using: &random)
                    meta.isCopy = false
                }
                if meta != state.meta { try tables.meta.write(meta) }
                try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
                meta.isInUse = true
                try tables.meta.write(meta)
                state.meta = meta
            } catch { throw StoreOpenError(error) }
            chmod(path + "-wal", 0o600)
            // What a server left that ended while it was being copied.
            SQLiteBackup.remove(SQLiteStore.pathOfCopy(path))
            StoreCreation.removeSecondName(of: path)
            try StoreFile.syncDirectory(of: path)
            do throws(SQLiteFailure) {
                try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            } catch { throw StoreOpenError(error) }
        }
    }
}

extension StoreOpenError {
    /// What an answer of SQLite means while a file is being opened.
    init(_ failure: SQLiteFailure) {
        switch failure.primary {
        case _ where failure.isFull: self = .full
        case SQLITE_BUSY, SQLITE_LOCKED: self = .owned("another program has it open")
        case SQLITE_NOTADB: self = .foreign(failure.description)
        case SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG:
            self = .corrupt(failure.description)
        default: self = .inputOutput(failure.description)
        }
    }

    /// What an error of reading means while a file is being opened.
    init(_ error: StoreError) {
        switch error {
        case .full: self = .full
        case .inputOutput(let reason), .tooLarge(let reason): self = .inputOutput(reason)
        case .corrupt(let place): self = .corrupt(place)
        }
    }
}
