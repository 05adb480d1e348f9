import GroveEngine

/// Every bound of the store, with its reason. `SQLiteStoreOptions` holds those that callers or
/// tests choose.
enum StoreLimits {
    /// Entries of the audit that one turn removes: about a millisecond.
    static let auditRowsPerTurn = 256

    /// Bytes of those entries, but for one that alone has more.
    static let auditBytesPerTurn = 256 << 10

    /// Bytes of a row after inflating, whatever length it declares.
    static let inflatedBytesMax = Limits.storedRowBytesMax

    /// Bytes from which a row is compressed in part first. Compressing a megabyte that hardly
    /// repeats takes about 20 ms, and nothing else is answered meanwhile.
    static let sampledBytesMin = 128 << 10

    /// Journal blocks in the cache: catch-up and history read neighboring steps.
    static let cachedBlocksMax = 16

    /// Bytes of the journal blocks in the cache.
    static let cachedBytesMax = 1 << 20

    /// Capacity of the block writer's buffer that is kept. One very large step must not stay in
    /// memory for the store's life.
    static let writerBytesMax = 1 << 20

    /// Bytes of the journal that a changed effect counts for, besides its own, within the bound of
    /// the steps that a start redoes: the first search by handler makes all rows of effects. So at
    /// most 131,072 changes of effects are redone.
    static let redoneEffectBytes = 512

    /// Steps by which the redo point in the file may lag: it costs a page to write.
    static let redoPointSteps: Int64 = 4_096

    /// Bytes of those steps.
    static let redoPointBytes: Int64 = 1 << 20

    /// New instances that `meta` and `machine_counts` may lack: a start looks up the row of each, a
    /// few milliseconds in total.
    static let uncountedCreationsMax: Int64 = 1_024

    /// Bytes of a snapshot up to which its row may be written after its commit. A bucket of the
    /// largest ones is 256 KiB.
    static let postponedSnapshotBytesMax = 4 << 10

    /// Instances per bucket of rows that are written together, as a power of 2: those of small
    /// instances fill about a page.
    static let bucketBits: Int64 = 6

    /// Neighboring buckets that are written together, as a power of 2: about nine pages. A lone
    /// commit that writes such a group takes up to a millisecond longer.
    static let groupBits: Int64 = 3

    /// Bytes of a bucket up to which it is written with its neighbors: twice those of small
    /// instances, so that a group is at most 256 KiB.
    static let groupedBucketBytesMax = 32 << 10

    /// Rows that a commit adds side by side, so that the processor loads their memory together: as
    /// many as it has requests to memory on their way.
    static let rowsAhead = 16

    /// Rows of a bucket, dedup records too, from which the next commit writes it.
    static let bucketRowsMax = 512

    /// Steps after the redo point from which one turn makes rows: about a millisecond.
    static let redoneStepsPerTurn = 512

    /// Steps from which a commit makes rows besides those of the buckets that it changes, unless
    /// ``redoneStepsPerStep`` allows more: some milliseconds.
    static let redoneStepsPerCommit = 4_096

    /// The same for each step of the commit. So until all rows are made, the journal's end grows by
    /// an eighth at most.
    static let redoneStepsPerStep = 8

    /// Rows that one turn of retention writes back, which may not remove steps that a start would
    /// redo: about a millisecond.
    static let rowsPerTurnOfRetention = 256

    /// Rows that one transaction of closing writes back.
    static let rowsPerTurnOfClosing = 8_192

    /// Journal blocks that one turn removes from the old end: below a millisecond with its sync.
    static let truncatedBlocksMax = 16

    /// Stored bytes of those blocks.
    static let truncatedBytesMax = 256 << 10

    /// Journal blocks that one turn of purging reads: about a millisecond.
    static let purgedBlocksMax = 16

    /// Plain bytes of those blocks.
    static let purgedBytesMax = 256 << 10

    /// Dedup records that one turn of purging deletes.
    static let purgedDedupsMax = 256

    /// Journal blocks that one turn searches for steps of machines to remove, and as many that it
    /// counts before: about a millisecond.
    static let machineBlocksMax = 8

    /// Plain bytes of the blocks searched, and of those counted.
    static let machineBytesMax = 128 << 10

    /// Steps counted per machine since the table was written. Past it the counts are written, so
    /// that a restart doesn't count them again.
    static let unwrittenStepsMax: Int64 = 65_536

    /// Bytes of snapshots that one search for done instances reads.
    static let doneSearchBytesMax = 512 << 10

    /// Free bytes with which the disk counts as having room: a state of the largest size. The next
    /// commit reuses the log space of a refused one, so a small write alone would succeed on a
    /// disk that has no room.
    static let diskSpaceBytesMin = 1 << 20

    /// Pages of the log that are moved between two commits, 1 MiB at the usual size: one or two
    /// milliseconds with the sync.
    static let pagesMovedAtOnceMax = 128

    /// Passes beside commits before the rest of the log is moved between two, however long it is.
    static let passesMax = 4

    /// Time that a transaction waits for a pass that reads the index of the log; microseconds are
    /// usual.
    static let busyMilliseconds: Int32 = 10_000

    /// The length of the log, in those from which it is moved, at which commits wait for a pass.
    static let logsPerPassMax = 4

    /// Pages that one turn of a backup copies, 512 KiB at the usual size: some tenths of a
    /// millisecond.
    static let backupPagesPerTurn: Int32 = 64

    /// Times that a copy begins again because a commit of its source was undone. On a full disk
    /// clients may try without end.
    static let backupRestartsMax = 8

    /// Problems that a full check reports.
    static let problemsMax = 1_000
}
