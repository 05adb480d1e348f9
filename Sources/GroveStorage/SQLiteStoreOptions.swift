/// How a data file is opened. The defaults were measured
/// (docs/decisions/0002-journal-blocks-and-compression.md); files made with other values stay
/// readable.
public struct SQLiteStoreOptions: Sendable {
    /// Whether a missing data file is made; else it is an error.
    public var createsFile = true

    /// Bytes the write-ahead log may reach before it is moved into the data file, after the
    /// commit that went past it.
    public var logBytesMax = 32 << 20

    /// Whether a commit leaves the checkpoint to ``SQLiteStore/checkpoint()``, until the log is
    /// twice as large. For a server that releases the commit's answers first.
    public var postponesCheckpoints = false

    /// Bytes of journal steps put into one row. A row of this size and its columns fill one page.
    var blockBytesMax = SQLiteStoreOptions.pageBytes - 92

    /// Bytes of a snapshot or journal block from which on it is compressed.
    var compressionBytesMin = 8 << 10

    /// Free pages below which the file never gets shorter: room for what comes next.
    var freePagesMin: Int64 = 1_024

    /// The SQLite file layer, other than the system's: tests put one with faults here.
    var vfs: String?

    /// Bytes of one page of a new data file.
    static let pageBytes = 8_192

    /// The defaults.
    public init() {}
}
