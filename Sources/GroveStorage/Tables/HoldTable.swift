import GroveEngine

/// The SQL of `holds`: one row per instance or machine that is suspended or set aside. Opening the
/// file reads all of them, and they rarely change.
enum HoldTable {
    /// Returns all holds.
    ///
    /// - Throws: `.corrupt` when a row doesn't match its checksum, or can't be decoded.
    static func read(
        _ connection: SQLiteConnection
    ) throws(StoreError) -> [HoldSubject: Hold] {
        let select = try connection.query("SELECT subject, hold, crc FROM holds")
        defer { select.reset() }
        var found: [HoldSubject: Hold] = [:]
        while try select.row() {
            let text = select.text(0)
            let bytes = select.bytes(1)
            guard Int64(checksum(text, bytes)) == select.integer(2),
                let subject = HoldSubject(text: text)
            else { throw .corrupt("a row of table holds does not match its checksum") }
            found[subject] = try Hold(decoding: bytes)
        }
        return found
    }

    static func write(
        _ hold: Hold?, on subject: HoldSubject, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        guard let hold else {
            let delete = try connection.prepare("DELETE FROM holds WHERE subject = ?1")
            try delete.bind(1, copy: subject.text)
            return try delete.run()
        }
        var bytes: [UInt8] = []
        hold.encode(into: &bytes)
        let replace = try connection.prepare(
            "REPLACE INTO holds (subject, hold, crc) VALUES (?1, ?2, ?3)")
        try replace.bind(1, copy: subject.text)
        try replace.bind(2, copy: bytes)
        replace.bind(3, bytes.withUnsafeBytes { checksum(subject.text, $0) })
        try replace.run()
    }

    private static func checksum(_ subject: String, _ hold: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = Checksum()
        let name = Array(subject.utf8)
        checksum.add(Int64(name.count), Int64(hold.count))
        name.withUnsafeBytes { checksum.add($0) }
        checksum.add(hold)
        return checksum.value
    }
}
