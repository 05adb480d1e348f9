import CSQLite
import GroveEngine

/// The facts about the file in its one row of `meta`.
struct Meta: Equatable {
    /// The id of the log.
    var logID: LogID
    /// When the file was made, milliseconds since 1970.
    var created: Int64
    /// The highest instance number ever given, also when its instance is gone.
    var lastNumber: Int64 = 0
    /// Instances there are: kept, because counting them would read all of them.
    var instances: Int64 = 0
    /// Rows of effects, kept for the same reason.
    var effects: Int64 = 0
    /// The head of the journal when this was written: at open, at close, before the log is moved
    /// into the data file, and with other changes. A journal that ends earlier has lost its end;
    /// one that ends elsewhere after a clean close is damaged.
    var head: JournalPosition = 0
    /// Whether a server has the file open, or ended without closing it.
    var isInUse = false
    /// Whether the file is a copy that nobody has opened yet: the first to do so gives it an id of
    /// its own. Never together with `isInUse`.
    var isCopy = false

    /// The two as they stand in the file.
    private var use: Int64 { isInUse ? 1 : isCopy ? 2 : 0 }

    var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(bitPattern: logID.high), Int64(bitPattern: logID.low))
        checksum.add(created, lastNumber)
        checksum.add(instances, effects)
        checksum.add(head, use)
        return checksum.value
    }

    /// The chain value before the first block, so that blocks of another file don't fit.
    var chainSeed: UInt32 { logID.checksum }

    /// The columns of the row, in their order.
    fileprivate var columns: [Int64] {
        [
            Int64(bitPattern: logID.high), Int64(bitPattern: logID.low), created, lastNumber,
            instances, effects, head, use, Int64(checksum),
        ]
    }
}

/// The SQL of `meta`.
final class MetaTable {
    private let select: Statement
    private let replace: Statement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        select = try connection.prepare(
            """
            SELECT log_high, log_low, created, last_number, instances, effects, head, in_use,
                crc
            FROM meta WHERE id = 1
            """)
        replace = try connection.prepare(
            """
            REPLACE INTO meta
            (id, log_high, log_low, created, last_number, instances, effects, head, in_use, crc)
            VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
    }

    func read() throws(StoreError) -> Meta {
        guard try select.row() else { throw .corrupt("table meta is empty") }
        defer { select.reset() }
        let logID = LogID(
            high: UInt64(bitPattern: select.integer(0)),
            low: UInt64(bitPattern: select.integer(1)))
        let meta = Meta(
            logID: logID, created: select.integer(2), lastNumber: select.integer(3),
            instances: select.integer(4), effects: select.integer(5), head: select.integer(6),
            isInUse: select.integer(7) == 1, isCopy: select.integer(7) == 2)
        guard Int64(meta.checksum) == select.integer(8) else {
            throw .corrupt("table meta does not match its checksum")
        }
        return meta
    }

    func write(_ meta: Meta) throws(SQLiteFailure) {
        for (place, value) in meta.columns.enumerated() { replace.bind(Int32(place + 1), value) }
        try replace.run()
    }
}
