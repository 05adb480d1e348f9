/// Options for opening a data file. The defaults were measured
/// (docs/decisions/0002-journal-blocks-and-compression.md). Files written with other values stay
/// readable.
public struct SQLiteStoreOptions: Sendable {
    /// Whether a missing data file is created; else it is an error.
    public var createsFile = true

    /// Bytes of the write-ahead log past which a checkpoint follows the commit.
    public var logBytesMax = 16 << 20

    /// Where the log is moved beside commits: runs work later, one after the other. A commit then
    /// leaves that to ``SQLiteStore/checkpoint()``, until the log is twice as large, so that a
    /// server can release the commit's answers first. `nil` lets the commit move the log.
    public var logQueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// Bounds of the end of the journal that a start may have to redo: it takes some tenths of a
    /// second.
    var redoBounds = RedoBounds(steps: 524_288, bytes: 64 << 20)

    /// Bytes of journal steps in one row. A row of this size and its columns fill one page.
    var blockBytesMax = SQLiteStoreOptions.pageBytes - 92

    /// Bytes from which a snapshot or journal block is compressed.
    var compressionBytesMin = 8 << 10

    /// Free pages below which the file never shrinks: room for the next commits.
    var freePagesMin: Int64 = 1_024

    /// The SQLite file layer, other than the system's. Tests use one with faults.
    var vfs: String?

    /// Bytes of one page of a new data file.
    static let pageBytes = 8_192

    public init() {}
}
