import GroveEngine

/// The SQL of `definitions`: one row per version of a machine as data. Opening the file reads all
/// of them, and they rarely change.
enum DefinitionTable {
    /// Returns all definitions.
    ///
    /// - Throws: `.corrupt` when a row doesn't match its checksum.
    static func read(_ connection: SQLiteConnection) throws(StoreError) -> StoredDefinitions {
        let select = try connection.query(
            "SELECT number, machine, version, hash, defined, retired, text, crc FROM definitions")
        defer { select.reset() }
        var rows: [StoredDefinition] = []
        while try select.row() {
            var row = StoredDefinition(
                machine: select.text(1), version: select.text(2), hash: select.text(3),
                text: Array(select.bytes(6)),
                defined: Timestamp(milliseconds: select.integer(4)))
            row.number = select.integer(0)
            row.isRetired = select.integer(5) != 0
            guard Int64(checksum(row)) == select.integer(7), row.number > 0 else {
                throw .corrupt("a row of table definitions does not match its checksum")
            }
            rows.append(row)
        }
        return StoredDefinitions(rows)
    }

    /// Removes rows, then adds some.
    static func write(
        removed: [Int64], added: [StoredDefinition], _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        for number in removed {
            let delete = try connection.prepare("DELETE FROM definitions WHERE number = ?1")
            delete.bind(1, number)
            try delete.run()
        }
        for row in added {
            let insert = try connection.prepare(
                """
                INSERT INTO definitions
                    (number, machine, version, hash, defined, retired, text, crc)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                """)
            insert.bind(1, row.number)
            try insert.bind(2, copy: row.machine)
            try insert.bind(3, copy: row.version)
            try insert.bind(4, copy: row.hash)
            insert.bind(5, row.defined.milliseconds)
            insert.bind(6, Int64(row.isRetired ? 1 : 0))
            try insert.bind(7, copy: row.text)
            insert.bind(8, checksum(row))
            try insert.run()
        }
    }

    private static func checksum(_ row: StoredDefinition) -> UInt32 {
        var checksum = Checksum()
        checksum.add(row.number, row.defined.milliseconds)
        checksum.add(row.isRetired ? 1 : 0, Int64(row.text.count))
        for text in [row.machine, row.version, row.hash] {
            let bytes = Array(text.utf8)
            checksum.add(Int64(bytes.count), 0)
            bytes.withUnsafeBytes { checksum.add($0) }
        }
        row.text.withUnsafeBytes { checksum.add($0) }
        return checksum.value
    }
}
