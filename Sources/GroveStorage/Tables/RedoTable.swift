import GroveEngine

/// The SQL of `redo`, a table with one row.
enum RedoTable {
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> RedoPoint {
        let select = try connection.query("SELECT step, crc FROM redo WHERE id = 1")
        guard try select.row() else { throw .corrupt("table redo is empty") }
        defer { select.reset() }
        let point = RedoPoint(step: select.integer(0))
        guard Int64(point.checksum) == select.integer(1) else {
            throw .corrupt("table redo does not match its checksum")
        }
        return point
    }

    static func write(
        _ point: RedoPoint, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        let replace = try connection.prepare(
            "REPLACE INTO redo (id, step, crc) VALUES (1, ?1, ?2)")
        replace.bind(1, point.step)
        replace.bind(2, point.checksum)
        try replace.run()
    }
}
