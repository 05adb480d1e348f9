import CSQLite
import GroveAccess
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The store on one SQLite data file (`docs/internals/data-file.md`).
///
/// Confined to the queue that opened it, like every `Store`. Its connection holds the file
/// exclusively from `open` to `close`; a second one moves the log beside commits (``LogMover``).
/// `commit` returns when the operating system has confirmed that the rows are on the disk:
/// `synchronous=FULL` with a write-ahead log, set and read back at open
/// (https://sqlite.org/pragma.html#pragma_synchronous).
///
/// After an I/O error, every call throws that error. Closing leaves the file to the next start,
/// which recovers it (reliability.md, P8).
public final class SQLiteStore: Store {
    /// The facts about the file in memory. They change only after a successful commit.
    struct State {
        var meta: Meta
        var head: JournalPosition
        var chain: UInt32
        var floor: Floor
        var machines: MachineFloors
        /// The redo point as the file has it.
        var redo: RedoPoint
        /// The instances and machines that are suspended or set aside.
        var holds: [HoldSubject: Hold] = [:]
        /// The definitions of machines as data.
        var definitions = StoredDefinitions()
        /// The principals and tokens, and the end of the audit.
        var accounts = AccountsTable()
        /// The counts per machine.
        var counts = MachineCountRows(nil)
        /// New instances that `meta` and `machine_counts` in the file lack. Their numbers are
        /// higher than the last one of `meta`, and the steps that created them are after its head.
        var uncountedCreations: Int64 = 0
        /// The floors in the engine's form, derived from `floor` and `machines`.
        private(set) var floors: JournalFloors

        init(
            meta: Meta, head: JournalPosition, chain: UInt32, floor: Floor,
            machines: MachineFloors = MachineFloors()
        ) {
            redo = RedoPoint(step: head)
            self.meta = meta
            self.head = head
            self.chain = chain
            self.floor = floor
            self.machines = machines
            floors = machines.floors(journal: floor.first)
        }

        /// Whether the commit that leads to this state must write `meta` and the counts. One that
        /// only creates instances usually doesn't: a lone one would write two pages more.
        func mustWriteCounts(after before: State, _ writes: borrowing WriteSet) -> Bool {
            counts.mustBeWritten || !writes.deletions.isEmpty || meta.effects != before.meta.effects
                || uncountedCreations >= StoreLimits.uncountedCreationsMax
        }

        mutating func renewFloors() { floors = machines.floors(journal: floor.first) }
    }

    /// The data file's path, absolute.
    public let path: String

    let options: SQLiteStoreOptions
    let pageBytes: Int
    let connection: SQLiteConnection
    /// `nil` where commits move the log themselves.
    let logMover: LogMover?
    let deflate = Deflate()
    var state: State
    var counters = Counters()
    var hasGarbage: Bool
    /// Whether deleted instances may be left to purge. Unlike `hasGarbage`, it stays true when a
    /// purge has failed.
    var mayHoldGarbage: Bool
    /// Whether pages were freed since the free list was last read.
    var hasFreedPages = true
    /// Whether the file is being shrunk, until an eighth of it is free.
    var isReleasingPages = false
    /// The search past the journal's oldest steps.
    var ahead = AheadSearch()
    /// The progress of the search for steps to remove, by machine.
    var searches: [String: MachineSearch] = [:]
    /// Turns of machine truncation since the file was opened.
    var machineTurns = 0
    var blocks = BlockCache()
    var writer = BlockWriter()
    /// The committed rows that are not in their tables yet.
    let pending: PendingRows
    /// The number of journal steps after the redo point when the file was opened.
    public let redoneSteps: Int64

    /// `nil` once closed.
    private var openTables: Tables?

    private var file: StoreFile?

    /// Whether nothing may be written, because ``inspect(path:)`` opened the file.
    let isInspection: Bool

    /// The copy that is being made or read.
    weak var backup: SQLiteBackup?

    /// The error that ended this store's life.
    private(set) var failure: StoreError?

    /// Pages in the write-ahead log from which the next checkpoint is attempted.
    var checkpointPages: Int
    /// Passes of ``logMover`` since the log was last moved as a whole.
    var passes = 0

    /// Counts since this store was opened.
    struct Counters {
        var commits: Int64 = 0
        var steps: Int64 = 0
        var dedups: Int64 = 0
        var fullDisk: Int64 = 0
        var checkpoints: Int64 = 0
        var erasedSteps: Int64 = 0
        var removedSteps: Int64 = 0
        var trimmedSteps: Int64 = 0
        var returnedPages: Int64 = 0
    }

    /// Whether the file can shrink. Files created by version 1 can't.
    let canShrink: Bool

    /// The log's id before this opening, if the file was a copy that got another id; else `nil`.
    public let formerLogID: LogID?

    /// Opens a data file, or creates it.
    ///
    /// The time doesn't depend on the size of the file. Opening recovers the write-ahead log that a
    /// crash left, moves it into the data file, and checks the header, the schema and the newest
    /// journal block. `checkAll` reads everything.
    ///
    /// - Throws: See `StoreOpenError`. A rejected file stays as it was, byte for byte.
    public static func open(
        path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()
    ) throws(StoreOpenError) -> SQLiteStore {
        let resolved = try StoreFile.resolve(path)
        try StoreFile.requireName(resolved)
        if let file = try StoreFile.open(resolved) {
            return try SQLiteStore(StoreOpening(file: file, options: options))
        }
        guard options.createsFile else { throw .unusablePath("\(path) does not exist") }
        try StoreCreation.create(resolved, options: options)
        guard let file = try StoreFile.open(resolved) else {
            throw .inputOutput("\(path) vanished after it was made")
        }
        return try SQLiteStore(StoreOpening(file: file, options: options))
    }

    init(_ opening: consuming StoreOpening) {
        path = opening.path
        isInspection = opening.isInspection
        options = opening.options
        pageBytes = opening.pageBytes
        connection = opening.connection
        logMover = opening.logMover
        state = opening.state
        hasGarbage = opening.hasGarbage
        mayHoldGarbage = opening.hasGarbage
        canShrink = opening.canShrink
        formerLogID = opening.formerLogID
        openTables = opening.tables
        pending = opening.pending
        redoneSteps = opening.redoneSteps
        checkpointPages = opening.options.logBytesMax / (opening.pageBytes + 24)
        file = opening.takeFile()
    }

    deinit { shutDown() }

    /// Moves everything into the data file, removes the write-ahead log and releases the file.
    ///
    /// After an I/O error, it only releases the file. A second call does nothing.
    ///
    /// - Throws: The error of the move. The file is released all the same, no commit is lost, and
    ///   the next `open` completes the move.
    public func close() throws(StoreError) {
        guard openTables != nil else { return }
        backup?.end()
        var problem = failure == nil && !isInspection ? emptyLog() : nil
        // On a full disk the log stays: nothing is lost, and the next `open` moves it.
        if problem == .full { problem = nil }
        shutDown()
        if let problem { throw problem }
    }

    /// Moves the log into the data file. Without room for the last transaction in the log, what the
    /// log has is moved first, which makes room there.
    private func emptyLog() -> StoreError? {
        guard let tables = openTables else { return nil }
        let problem = emptyLog(tables)
        guard problem == .full else { return problem }
        do throws(StoreError) { try moveLog() } catch { return error }
        return emptyLog(tables)
    }

    private func emptyLog(_ tables: Tables) -> StoreError? {
        do throws(StoreError) {
            // The next start then has nothing to redo.
            let rows = StoreLimits.rowsPerTurnOfClosing
            while try writeBackOldest(rows: rows, tables) {}
        } catch { return error }
        do throws(SQLiteFailure) {
            try logMover?.stop()
            var meta = state.meta
            meta.isInUse = false
            meta.head = state.head
            var floor = state.floor
            floor.counted = state.head
            try connection.execute("BEGIN IMMEDIATE")
            if state.counts.hasChanges { try state.counts.write(try tables.machineCounts()) }
            try tables.meta.write(meta)
            try FloorTable.write(floor, connection)
            try state.machines.write(connection)
            try connection.execute("COMMIT")
            try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
            // Only the last connection removes the log.
            logMover?.close()
            try connection.setCheckpointOnClose(true)
            return nil
        } catch {
            let problem = error.storeError
            guard connection.isInTransaction else { return problem }
            do throws(SQLiteFailure) { try connection.execute("ROLLBACK") } catch {
                return error.storeError
            }
            return problem
        }
    }

    /// Releases the file without writing anything, as a crash would.
    func shutDown() {
        // After a failure, a pass may wait for the disk for ever. Its connection ends with it.
        if failure == nil { logMover?.close() }
        if failure == nil { failure = .inputOutput("the store is closed") }
        openTables = nil
        backup?.end()
        connection.close()
        file = nil
    }

    func tables() throws(StoreError) -> Tables {
        if let failure { throw failure }
        guard let openTables else { throw .inputOutput("the store is closed") }
        return openTables
    }

    /// Records the error that ends the store's life.
    func fail(_ error: StoreError) { if failure == nil { failure = error } }

    /// Runs a read. An I/O error in it ends the store's life.
    func reading<Result>(
        _ body: (Tables) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let tables = try tables()
        do throws(StoreError) { return try body(tables) } catch {
            if case .inputOutput = error { fail(error) }
            throw error
        }
    }

    // MARK: Facts

    public var logID: LogID { state.meta.logID }

    public var head: JournalPosition { state.head }

    public var first: JournalPosition { state.floor.first }

    public var floors: JournalFloors { state.floors }

    public var holds: [HoldSubject: Hold] { state.holds }

    public var definitions: [StoredDefinition] { state.definitions.all }

    public var machineCounts: [String: MachineCounts] { state.counts.rows }

    public var lastInstanceNumber: InstanceNumber { InstanceNumber(state.meta.lastNumber) }

    /// Returns instances and steps held, sizes in bytes, and counts since the store was opened.
    public func statistics() -> [(name: String, value: Int64)] {
        let fileBytes = StoreFile.size(path) ?? 0
        let logBytes = StoreFile.size(path + "-wal") ?? 0
        return [
            ("instances", state.meta.instances),
            ("effects", state.meta.effects + Int64(pending.effectCount)),
            ("journal_first", first), ("journal_steps", state.head - first + 1),
            ("journal_bytes", state.floor.bytes),
            ("file_bytes", Int64(fileBytes)), ("wal_bytes", Int64(logBytes)),
            ("commits", counters.commits), ("committed_steps", counters.steps),
            ("committed_dedups", counters.dedups), ("erased_steps", counters.erasedSteps),
            ("removed_steps", counters.removedSteps), ("trimmed_steps", counters.trimmedSteps),
            ("pending_rows", Int64(pending.count)), ("free_pages", freePages),
            ("returned_pages", counters.returnedPages), ("can_shrink", canShrink ? 1 : 0),
            ("checkpoints", counters.checkpoints), ("disk_full", counters.fullDisk),
        ]
    }

    // MARK: Instances and dedup records

    /// Returns the committed snapshot of one instance, or `nil`.
    ///
    /// - Throws: `.corrupt` when its row is damaged, or one that the search passes.
    public func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        try reading { (tables) throws(StoreError) in
            guard let found = try tables.instances.find(name) else { return nil }
            return try newest(found)
        }
    }

    /// Returns whether `number` belongs to a deleted instance that isn't purged yet.
    ///
    /// - Throws: `.corrupt` when the row that says so is damaged.
    public func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool {
        try reading { (tables) throws(StoreError) in
            guard mayHoldGarbage else { return false }
            return try tables.garbage.holds(number)
        }
    }

    /// Returns up to `limit` instances in the byte order of names that start with `prefix` and
    /// follow `after`. Ends early once their states have `bytes` bytes, but has one if there is
    /// one.
    public func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        try reading { (tables) throws(StoreError) in
            let page = try tables.instances.page(
                prefix: prefix, after: after, limit: limit, bytes: bytes)
            return try page.map { row throws(StoreError) in try newest(row) }
        }
    }

    /// Returns the instance of a row as its newest commit left it.
    func newest(_ row: StoredInstance) throws(StoreError) -> StoredInstance {
        try plausible(try pending.instance(row.number, named: row.name) ?? row)
    }

    public func dedup(
        _ number: InstanceNumber, key: [UInt8]
    ) throws(StoreError) -> DedupEntry? {
        try reading { (tables) throws(StoreError) in
            if let entry = try pending.dedup(number, key: key) { return entry }
            return try tables.dedup.find(number, key)
        }
    }

    /// Checks that a snapshot isn't newer than the journal, as after the loss of a write-ahead log.
    private func plausible(_ instance: StoredInstance) throws(StoreError) -> StoredInstance {
        guard instance.newest <= head, instance.stateAt <= instance.newest else {
            throw .corrupt("the snapshot of \(instance.name) is newer than the journal")
        }
        return instance
    }
}
