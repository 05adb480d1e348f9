import CSQLite
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The store on one SQLite data file (`docs/internals/data-file.md`).
///
/// Confined to the queue that opened it, like every `Store`. One connection, which holds the file
/// exclusively from `open` to `close`. `commit` returns when the operating system said that the
/// rows are on the disk: `synchronous=FULL` over a write-ahead log, set and read back at open
/// (https://sqlite.org/pragma.html#pragma_synchronous).
///
/// After an I/O error nothing works any more: every call throws the same error, and closing
/// leaves the file to the next start, which recovers it (reliability.md, P8).
public final class SQLiteStore: Store {
    /// What is kept in memory about the file; changes only after a successful commit.
    struct State {
        var meta: Meta
        var head: JournalPosition
        var chain: UInt32
        var floor: Floor
        var machines: MachineFloors
        /// What is suspended or set aside.
        var holds: [HoldSubject: Hold] = [:]
        /// What both floors say, made anew when one of them changes.
        private(set) var floors: JournalFloors

        init(
            meta: Meta, head: JournalPosition, chain: UInt32, floor: Floor,
            machines: MachineFloors = MachineFloors()
        ) {
            self.meta = meta
            self.head = head
            self.chain = chain
            self.floor = floor
            self.machines = machines
            floors = machines.floors(journal: floor.first)
        }

        /// Takes note that steps were removed.
        mutating func renewFloors() { floors = machines.floors(journal: floor.first) }
    }

    /// The data file's path, absolute.
    public let path: String

    let options: SQLiteStoreOptions
    let pageBytes: Int
    let connection: SQLiteConnection
    let deflate = Deflate()
    var state: State
    var counters = Counters()
    var hasGarbage: Bool
    /// Whether there may be deleted instances that aren't swept; unlike `hasGarbage`, also when
    /// sweeping them has failed.
    var mayHoldGarbage: Bool
    /// Whether pages were freed since the free list was looked at.
    var hasFreedPages = true
    /// Whether free pages are being given back.
    var isGivingBack = false
    /// How far the search for steps that may go has come, by machine.
    var searches: [String: MachineSearch] = [:]
    /// Turns of trimming since the file was opened.
    var trimTurns = 0
    var blocks = BlockCache()
    var writer = BlockWriter()

    /// `nil` once closed.
    private var openTables: Tables?

    /// The lock; given up after the connection is closed.
    private var file: StoreFile?

    /// Whether nothing may be written: it was opened to be looked at (``inspect(path:)``).
    let isInspection: Bool

    /// The copy that is being made or handed out.
    weak var backup: SQLiteBackup?

    /// The error that ended this store's life.
    private(set) var failure: StoreError?

    /// Pages in the write-ahead log from which on the next checkpoint is tried.
    var checkpointPages: Int

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

    /// Whether the file can give back pages: files that were made by version 1 can't.
    let canShrink: Bool

    /// The id that the log had before, where the file was a copy that got one of its own when it
    /// was opened; else `nil`.
    public let formerLogID: LogID?

    /// Opens a data file, or makes it; ready for use when it returns.
    ///
    /// Takes the same time whatever the file holds: what a crash left in the write-ahead log is
    /// recovered and moved into the data file, the header, the schema and the newest journal
    /// block are checked, nothing else is read. `checkAll` reads everything.
    ///
    /// - Throws: see `StoreOpenError`. A refused file is left as it was, byte for byte.
    public static func open(
        path: String, options: SQLiteStoreOptions = SQLiteStoreOptions()
    ) throws(StoreOpenError) -> SQLiteStore {
        let resolved = try StoreFile.resolve(path)
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

    /// Takes an opened file over.
    init(_ opening: consuming StoreOpening) {
        path = opening.path
        isInspection = opening.isInspection
        options = opening.options
        pageBytes = opening.pageBytes
        connection = opening.connection
        state = opening.state
        hasGarbage = opening.hasGarbage
        mayHoldGarbage = opening.hasGarbage
        canShrink = opening.canShrink
        formerLogID = opening.formerLogID
        openTables = opening.tables
        checkpointPages = opening.options.logBytesMax / (opening.pageBytes + 24)
        file = opening.takeFile()
    }

    deinit { shutDown() }

    /// Moves everything into the data file, removes the write-ahead log and gives the file up.
    ///
    /// After an I/O error, only the latter. A second call does nothing.
    ///
    /// - Throws: what went wrong in moving; the file is given up all the same, nothing that was
    ///   committed is lost, and the next `open` does the rest.
    public func close() throws(StoreError) {
        guard openTables != nil else { return }
        backup?.end()
        var problem = failure == nil && !isInspection ? emptyLog() : nil
        // Without room the log stays: nothing is lost, and the next `open` moves it.
        if problem == .full { problem = nil }
        shutDown()
        if let problem { throw problem }
    }

    private func emptyLog() -> StoreError? {
        guard let tables = openTables else { return nil }
        do throws(SQLiteFailure) {
            var meta = state.meta
            meta.isInUse = false
            meta.head = state.head
            try tables.meta.write(meta)
            var floor = state.floor
            floor.counted = state.head
            try FloorTable.write(floor, connection)
            try connection.execute("BEGIN IMMEDIATE")
            try state.machines.write(connection)
            try connection.execute("COMMIT")
            try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
            try connection.setCheckpointOnClose(true)
            return nil
        } catch { return error.storeError }
    }

    /// Gives the file up without writing anything: what a crash would leave stays.
    func shutDown() {
        if failure == nil { failure = .inputOutput("the store is closed") }
        openTables = nil
        backup?.end()
        connection.close()
        file = nil
    }

    /// The statements, unless the store is closed or failed.
    func tables() throws(StoreError) -> Tables {
        if let failure { throw failure }
        guard let openTables else { throw .inputOutput("the store is closed") }
        return openTables
    }

    /// Notes an error after which nothing may be promised any more.
    func fail(_ error: StoreError) { if failure == nil { failure = error } }

    /// Runs a read; an I/O error in it ends the store's life.
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

    /// The id of this log, part of every cursor.
    public var logID: LogID { state.meta.logID }

    /// The last committed journal step; 0 when the journal is empty.
    public var head: JournalPosition { state.head }

    /// The oldest place of the journal that is there.
    public var first: JournalPosition { state.floor.first }

    /// From where on the steps of each machine are held.
    public var floors: JournalFloors { state.floors }

    /// What is held: suspended or set aside.
    public var holds: [HoldSubject: Hold] { state.holds }

    /// The highest instance number ever given; 0 when there was none.
    public var lastInstanceNumber: InstanceNumber { InstanceNumber(state.meta.lastNumber) }

    /// Instances and steps held, sizes in bytes, and counts since the store was opened.
    public func statistics() -> [(name: String, value: Int64)] {
        let fileBytes = StoreFile.size(path) ?? 0
        let logBytes = StoreFile.size(path + "-wal") ?? 0
        return [
            ("instances", state.meta.instances), ("effects", state.meta.effects),
            ("journal_first", first), ("journal_steps", state.head - first + 1),
            ("journal_bytes", state.floor.bytes),
            ("file_bytes", Int64(fileBytes)), ("wal_bytes", Int64(logBytes)),
            ("commits", counters.commits), ("committed_steps", counters.steps),
            ("committed_dedups", counters.dedups), ("erased_steps", counters.erasedSteps),
            ("removed_steps", counters.removedSteps), ("trimmed_steps", counters.trimmedSteps),
            ("free_pages", freePages),
            ("returned_pages", counters.returnedPages), ("can_shrink", canShrink ? 1 : 0),
            ("checkpoints", counters.checkpoints), ("disk_full", counters.fullDisk),
        ]
    }

    // MARK: Instances and dedup records

    /// The committed snapshot of one instance, or `nil` when it is absent.
    ///
    /// - Throws: `.corrupt` when its row is damaged, or one that a search passes by.
    public func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        try reading { (tables) throws(StoreError) in
            guard let found = try tables.instances.find(name) else { return nil }
            return try plausible(found)
        }
    }

    /// Whether `number` belongs to an instance that was deleted and isn't swept.
    ///
    /// - Throws: `.corrupt` when what says so is damaged.
    public func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool {
        try reading { (tables) throws(StoreError) in
            guard mayHoldGarbage else { return false }
            return try tables.garbage.holds(number)
        }
    }

    /// Up to `limit` instances in the byte order of their names that start with `prefix` and
    /// follow `after`; fewer once they have `bytes` bytes of states, but one if there is one.
    public func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        try reading { (tables) throws(StoreError) in
            let page = try tables.instances.page(
                prefix: prefix, after: after, limit: limit, bytes: bytes)
            for instance in page { _ = try plausible(instance) }
            return page
        }
    }

    /// What was committed under a dedup key of an instance, or `nil`.
    public func dedup(
        _ number: InstanceNumber, key: [UInt8]
    ) throws(StoreError) -> DedupEntry? {
        try reading { (tables) throws(StoreError) in try tables.dedup.find(number, key) }
    }

    /// A snapshot that is newer than the journal tells of a write-ahead log that got lost.
    private func plausible(_ instance: StoredInstance) throws(StoreError) -> StoredInstance {
        guard instance.newest <= head, instance.stateAt <= instance.newest else {
            throw .corrupt("the snapshot of \(instance.name) is newer than the journal")
        }
        return instance
    }
}
