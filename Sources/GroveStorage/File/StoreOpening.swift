import CSQLite
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Turns a locked file into a store that is ready for use. It checks first and writes afterwards:
/// before `takeOver`, no byte of the file, its log or its directory changes.
struct StoreOpening: ~Copyable {
    let path: String
    let options: SQLiteStoreOptions
    let pageBytes: Int
    let connection: SQLiteConnection
    let logMover: LogMover?
    let tables: Tables
    let state: SQLiteStore.State
    let pending: PendingRows
    /// The number of journal steps applied to rows.
    let redoneSteps: Int64
    let hasGarbage: Bool
    /// Whether the file is only inspected: then no byte of it ever changes.
    let isInspection: Bool
    let canShrink: Bool
    let formerLogID: LogID?
    private let file: StoreFile

    /// Returns the locked file, whose owner the caller becomes.
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
        let hasLog = LogHeader.isValid(path + "-wal")
        if hasLog { try Self.requireSoundLog(path + "-wal") }
        do throws(StoreOpenError) {
            // The file is locked, so one without a log can be opened as immutable.
            var inner = try Inner(
                path, options, hasLog: hasLog,
                isImmutable: isInspection && logIsEmpty)
            if isInspection {
                try inner.countJournal()
                try inner.makeRows()
            } else {
                try file.makePrivate()
                try inner.takeOver(path)
            }
            logMover =
                isInspection ? nil : try Self.logMover(inner.connection, path, options)
            connection = inner.connection
            tables = inner.tables
            state = inner.state
            pending = inner.pending
            redoneSteps = inner.redoneSteps
            hasGarbage = inner.hasGarbage
            canShrink = inner.canShrink
            formerLogID = inner.formerLogID
        } catch {
            // SQLite creates an empty log as soon as it reads a file.
            if logBytes == nil, StoreFile.size(path + "-wal") == 0 { unlink(path + "-wal") }
            throw error
        }
        self.path = path
        self.options = options
        pageBytes = header.pageBytes
        self.isInspection = isInspection
        self.file = file
    }

    /// Checks the header's fields.
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

    /// Requires the permission to write the file, without which its log can't be read.
    private static func requireWritable(_ path: String) throws(StoreOpenError) {
        guard access(path, W_OK) == 0 else {
            throw .inputOutput(
                "there is a write-ahead log beside it (\(path)-wal), and who reads that must have "
                    + "the right to write \(path); or copy both to where they can be written")
        }
    }

    /// Requires the length that the header says. Only a file with a log may differ.
    private static func requireWhole(_ header: StoreFile.Header) throws(StoreOpenError) {
        let expected = header.pages * header.pageBytes
        guard header.pageBytes > 0, header.fileBytes == expected else {
            throw .corrupt("it has \(header.fileBytes) bytes and should have \(expected)")
        }
    }

    /// Refuses a log that lost commits in its middle: SQLite would end it there without a word, and
    /// the next commits would be written over the others.
    private static func requireSoundLog(_ path: String) throws(StoreOpenError) {
        guard let damage = LogFrames.damage(in: path) else { return }
        throw .corrupt(
            "its log \(path) is damaged at byte \(damage.offset), and \(damage.commits) commits "
                + "were in it there or later. To give them up, copy both files and then run "
                + "`truncate -s \(damage.offset) \(path)`")
    }

    /// Opens the connection that moves the log beside commits, if that is wanted.
    private static func logMover(
        _ connection: SQLiteConnection, _ path: String, _ options: SQLiteStoreOptions
    ) throws(StoreOpenError) -> LogMover? {
        // A library without locks can't be used by two threads, also with two connections.
        guard let queue = options.logQueue, sqlite3_threadsafe() != 0 else { return nil }
        do throws(SQLiteFailure) {
            return try LogMover(
                besides: connection, path: path, vfs: options.vfs, queue: queue)
        } catch { throw StoreOpenError(error) }
    }

    /// The part of opening that uses SQLite.
    private struct Inner {
        let connection: SQLiteConnection
        let tables: Tables
        var state: SQLiteStore.State
        let pending: PendingRows
        let redoneSteps: Int64
        let hasGarbage: Bool
        let canShrink: Bool
        /// The id that a copy had before it got its own; else `nil`.
        var formerLogID: LogID?
        /// The file's schema before any migration.
        private let version: Int64

        init(
            _ path: String, _ options: SQLiteStoreOptions, hasLog: Bool, isImmutable: Bool
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
                if meta.isInUse, !hasLog {
                    throw .corrupt(
                        "its write-ahead log (\(path)-wal) is missing, empty or no log, though the "
                            + "last server did not close it: what was committed last is in there")
                }
                let floor = version < 2 ? Floor(meta) : try FloorTable.read(connection)
                state = try Self.readEnd(tables, meta, floor)
                if version >= 3 {
                    state.machines = try MachineFloorTable.read(connection, head: state.head)
                    state.renewFloors()
                }
                if version >= 4 { state.holds = try HoldTable.read(connection) }
                if version >= 5 {
                    state.redo = try RedoTable.read(connection)
                    state.counts = try Self.readCounts(connection, meta)
                }
                if version >= 6 { state.definitions = try DefinitionTable.read(connection) }
                if version >= 7 { state.accounts = try AccountRows.read(connection) }
                let redo = try JournalRedo(
                    after: state.redo, first: floor.first, head: state.head,
                    lastNumber: meta.lastNumber, tables)
                if version >= 5 { try Self.countCreations(redo.created, tables, &state) }
                redoneSteps = redo.steps
                pending = PendingRows(bounds: options.redoBounds, redo: redo)
                hasGarbage = try tables.garbage.next() != nil
            } catch { throw StoreOpenError(error) }
            do throws(SQLiteFailure) {
                canShrink = try connection.integer("PRAGMA auto_vacuum") == 2
            } catch { throw StoreOpenError(error) }
        }

        /// Applies the settings; reads back those that durability depends on (reliability.md,
        /// "Storage rules").
        private static func configure(
            _ connection: SQLiteConnection
        ) throws(SQLiteFailure) {
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
            // A checkpoint shortens a log that a large commit made longer than 64 MiB.
            try connection.execute("PRAGMA journal_size_limit=67108864")
            connection.watchLog()
        }

        /// Reads the counts per machine, and compares their sum with the number of instances.
        private static func readCounts(
            _ connection: SQLiteConnection, _ meta: Meta
        ) throws(StoreError) -> MachineCountRows {
            let rows = try MachineCountTable.read(connection)
            let sum = rows.values.reduce(0) { $0 + $1.instances }
            guard sum == meta.instances else {
                throw .corrupt(
                    "table machine_counts has \(sum) instances, and meta \(meta.instances)")
            }
            return MachineCountRows(rows)
        }

        /// Counts the instances created since `meta` and the counts were written. One without a row
        /// isn't counted: reads of it fail, because its steps follow no row.
        private static func countCreations(
            _ created: Set<InstanceNumber>, _ tables: Tables, _ state: inout SQLiteStore.State
        ) throws(StoreError) {
            do throws(SQLiteFailure) {
                for number in created {
                    state.meta.lastNumber = max(state.meta.lastNumber, number.value)
                    guard let heading = try tables.instances.heading(of: number) else { continue }
                    state.counts.addInstance(1, isDone: heading.isDone, of: heading.machine)
                    state.meta.instances += 1
                    state.uncountedCreations += 1
                }
            } catch { throw error.storeError }
        }

        private static func require(_ wanted: String, _ found: String) throws(SQLiteFailure) {
            guard wanted == found else {
                throw SQLiteFailure(
                    code: SQLITE_ERROR, systemError: 0,
                    message: "SQLite did not take a setting: \(found) instead of \(wanted)")
            }
        }

        /// Returns the version of the file's schema. The log may hold a newer one than the header.
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

        /// Finds the end of the journal. Checks the last block and its link to the one before.
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

        /// Migrates the file to the newest schema in one transaction of the log, and counts the
        /// blocks added since the journal's size was written.
        private mutating func migrate() throws(SQLiteFailure) {
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
                try countNewBlocks()
                try FloorTable.write(state.floor, connection)
            }
        }

        /// Adds the blocks appended since the journal's size was written.
        private mutating func countNewBlocks() throws(SQLiteFailure) {
            state.floor.bytes += try JournalTable.bytes(after: state.floor.counted, connection)
            state.floor.counted = state.head
        }

        /// Makes all rows that are behind the journal, so that an inspection names what is wrong.
        func makeRows() throws(StoreOpenError) {
            do throws(StoreError) { while try pending.makeSome(steps: .max) {} } catch {
                throw StoreOpenError(error)
            }
        }

        /// Updates the journal's size in memory only.
        mutating func countJournal() throws(StoreOpenError) {
            do throws(SQLiteFailure) { try countNewBlocks() } catch { throw StoreOpenError(error) }
        }

        /// Moves the log left by a crash into the data file, then marks the file as in use.
        ///
        /// The mark is in the data file itself, and the log is never empty while it is set. So the
        /// next start detects a data file that was copied or kept without its log. Hence the order:
        /// mark off, log emptied; mark on in the log, synced; the log's name in the directory,
        /// synced; mark on in the data file.
        mutating func takeOver(_ path: String) throws(StoreOpenError) {
            do throws(SQLiteFailure) {
                try migrate()
                var meta = state.meta
                meta.isInUse = false
                meta.head = state.head
                if meta.isCopy {
                    var random = SystemRandomNumberGenerator()
                    formerLogID = meta.logID
                    meta.logID = meta.logID.renewed(using: &random)
                    meta.isCopy = false
                }
                try connection.execute("BEGIN IMMEDIATE")
                if state.counts.hasChanges { try state.counts.write(try tables.machineCounts()) }
                if meta != state.meta || state.uncountedCreations > 0 {
                    try tables.meta.write(meta)
                }
                try connection.execute("COMMIT")
                state.uncountedCreations = 0
                try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
                meta.isInUse = true
                try tables.meta.write(meta)
                state.meta = meta
            } catch { throw StoreOpenError(error) }
            chmod(path + "-wal", 0o600)
            // Left by a server that ended during a backup.
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
    /// The meaning of an SQLite failure while a file is being opened.
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

    /// The meaning of a read error while a file is being opened.
    init(_ error: StoreError) {
        switch error {
        case .full: self = .full
        case .inputOutput(let reason), .tooLarge(let reason): self = .inputOutput(reason)
        case .corrupt(let place): self = .corrupt(place)
        }
    }
}
