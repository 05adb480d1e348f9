import GroveEngine

/// The SQL of `machine_counts`: one row per machine with instances or effects. All are in memory.
final class MachineCountTable {
    private let replace: Statement
    private let delete: Statement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        replace = try connection.prepare(
            """
            REPLACE INTO machine_counts (machine, instances, done, failed, asking, crc)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        delete = try connection.prepare("DELETE FROM machine_counts WHERE machine = ?1")
    }

    /// Returns all rows.
    ///
    /// - Throws: `.corrupt` when a row doesn't match its checksum.
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> [String: MachineCounts] {
        let select = try connection.query(
            "SELECT machine, instances, done, failed, asking, crc FROM machine_counts")
        defer { select.reset() }
        var rows: [String: MachineCounts] = [:]
        while try select.row() {
            let machine = select.text(0)
            var counts = MachineCounts()
            counts.instances = select.integer(1)
            counts.done = select.integer(2)
            counts.failed = select.integer(3)
            counts.asking = select.integer(4)
            guard Int64(checksum(machine, counts)) == select.integer(5) else {
                throw .corrupt("a row of table machine_counts does not match its checksum")
            }
            rows[machine] = counts
        }
        return rows
    }

    /// Writes a row, or removes it.
    func write(_ counts: MachineCounts?, of machine: String) throws(SQLiteFailure) {
        guard let counts else {
            try delete.bind(1, copy: machine)
            return try delete.run()
        }
        try replace.bind(1, copy: machine)
        replace.bind(2, counts.instances)
        replace.bind(3, counts.done)
        replace.bind(4, counts.failed)
        replace.bind(5, counts.asking)
        replace.bind(6, Self.checksum(machine, counts))
        try replace.run()
    }

    private static func checksum(_ machine: String, _ counts: MachineCounts) -> UInt32 {
        var checksum = Checksum()
        var machine = machine
        machine.withUTF8 { checksum.add(UnsafeRawBufferPointer($0)) }
        checksum.add(counts.instances, counts.done)
        checksum.add(counts.failed, counts.asking)
        return checksum.value
    }
}
