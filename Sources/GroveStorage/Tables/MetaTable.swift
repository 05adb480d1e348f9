import GroveEngine

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
        for (index, value) in meta.columns.enumerated() { replace.bind(Int32(index + 1), value) }
        try replace.run()
    }
}
