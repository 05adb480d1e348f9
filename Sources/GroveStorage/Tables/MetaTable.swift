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

    var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(bitPattern: logID.high), Int64(bitPattern: logID.low))
        checksum.add(created, lastNumber)
        checksum.add(instances, effects)
        checksum.add(head, isInUse ? 1 : 0)
        return checksum.value
    }

    /// The chain value before the first block, so that blocks of another file don't fit.
    var chainSeed: UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(bitPattern: logID.high), Int64(bitPattern: logID.low))
        return checksum.value
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
            isInUse: select.integer(7) == 1)
        guard Int64(meta.checksum) == select.integer(8) else {
            throw .corrupt("table meta does not match its checksum")
        }
        return meta
    }

    func write(_ meta: Meta) throws(SQLiteFailure) {
        replace.bind(1, Int64(bitPattern: meta.logID.high))
        replace.bind(2, Int64(bitPattern: meta.logID.low))
        replace.bind(3, meta.created)
        replace.bind(4, meta.lastNumber)
        replace.bind(5, meta.instances)
        replace.bind(6, meta.effects)
        replace.bind(7, meta.head)
        replace.bind(8, meta.isInUse ? Int64(1) : 0)
        replace.bind(9, meta.checksum)
        try replace.run()
    }
}
