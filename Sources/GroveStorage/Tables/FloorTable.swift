import CSQLite
import GroveEngine

/// Where the journal begins, and how large it is.
struct Floor: Equatable {
    /// The oldest step that is held.
    var first: JournalPosition = 1
    /// The chain value of the block before it; before the first block of all, the log's.
    var seed: UInt32
    /// The head of the journal when this was written: what `bytes` counts ends there.
    var counted: JournalPosition = 0
    /// Bytes of all blocks as they are stored.
    var bytes: Int64 = 0

    /// The floor of a journal that nothing was removed from yet.
    init(_ meta: Meta) { seed = meta.chainSeed }

    fileprivate init(
        first: JournalPosition, seed: UInt32, counted: JournalPosition, bytes: Int64
    ) {
        self.first = first
        self.seed = seed
        self.counted = counted
        self.bytes = bytes
    }

    fileprivate var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(first, Int64(seed))
        checksum.add(counted, bytes)
        return checksum.value
    }
}

/// The SQL of `floor`, a table with one row. Used so seldom that nothing stays prepared.
enum FloorTable {
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> Floor {
        let select = try prepareSelect(connection)
        guard try select.row() else { throw .corrupt("table floor is empty") }
        defer { select.reset() }
        let floor = Floor(
            first: select.integer(0), seed: UInt32(truncatingIfNeeded: select.integer(1)),
            counted: select.integer(2), bytes: select.integer(3))
        guard Int64(floor.checksum) == select.integer(4) else {
            throw .corrupt("table floor does not match its checksum")
        }
        return floor
    }

    private static func prepareSelect(
        _ connection: SQLiteConnection
    ) throws(StoreError) -> Statement {
        do {
            return try connection.prepare(
                "SELECT first, seed, counted, bytes, crc FROM floor WHERE id = 1")
        } catch { throw error.storeError }
    }

    static func write(
        _ floor: Floor, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        let replace = try connection.prepare(
            """
            REPLACE INTO floor (id, first, seed, counted, bytes, crc)
            VALUES (1, ?1, ?2, ?3, ?4, ?5)
            """)
        replace.bind(1, floor.first)
        replace.bind(2, floor.seed)
        replace.bind(3, floor.counted)
        replace.bind(4, floor.bytes)
        replace.bind(5, floor.checksum)
        try replace.run()
    }
}
