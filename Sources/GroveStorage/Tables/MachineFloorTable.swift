import GroveEngine

/// The SQL that reads `machine_floors`. Rarely used, so no statement is kept.
enum MachineFloorTable {
    /// Returns all rows: one per machine that has bounds, or had bounds that still matter.
    ///
    /// - Throws: `.corrupt` when a row is damaged, or lies past the journal's end.
    static func read(
        _ connection: SQLiteConnection, head: JournalPosition
    ) throws(StoreError) -> MachineFloors {
        let select = try connection.query(
            "SELECT machine, first, counted, steps, bytes, crc FROM machine_floors")
        defer { select.reset() }
        var rows: [String: MachineFloor] = [:]
        while try select.row() {
            let machine = select.text(0)
            let row = MachineFloor(
                first: select.integer(1), counted: select.integer(2), steps: select.integer(3),
                bytes: select.integer(4))
            guard Int64(row.checksum(machine)) == select.integer(5) else {
                throw .corrupt("a row of table machine_floors does not match its checksum")
            }
            guard (1...head + 1).contains(row.first), (0...head).contains(row.counted) else {
                throw .corrupt("the floor of machine \"\(machine)\" is past the journal's end")
            }
            rows[machine] = row
        }
        return MachineFloors(written: rows)
    }
}
