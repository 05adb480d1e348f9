import GroveEngine

/// The SQL of `floor`, a table with one row. Rarely used, so no statement is kept.
enum FloorTable {
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> Floor {
        let select = try connection.query(
            "SELECT first, seed, counted, bytes, crc FROM floor WHERE id = 1")
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
