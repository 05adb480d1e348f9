import GroveAccess
import GroveEngine

/// The SQL of `audit`: one row per change of accounts. The body is ``AuditEntry/body``.
enum AuditTable {
    /// What one turn removes.
    struct Oldest {
        /// The number of the last entry to remove; `nil` for none.
        var last: Int64?
        /// Whether the bounds of a turn ended the search.
        var isIncomplete = false
    }

    /// Returns the newest entry, or `nil`.
    ///
    /// - Throws: `.corrupt` when its row is damaged.
    static func last(_ connection: SQLiteConnection) throws(StoreError) -> AuditEntry? {
        let select = try connection.query(
            "SELECT number, time, body, hash, crc FROM audit ORDER BY number DESC LIMIT 1")
        defer { select.reset() }
        return try select.row() ? try entry(select) : nil
    }

    /// Returns up to `limit` entries after a number, in order.
    ///
    /// - Throws: `.corrupt` when one of them is damaged.
    static func page(
        after number: Int64, limit: Int, _ connection: SQLiteConnection
    ) throws(StoreError) -> AuditPage {
        let select = try connection.query(
            """
            SELECT number, time, body, hash, crc FROM audit WHERE number > ?1
            ORDER BY number LIMIT ?2
            """)
        defer { select.reset() }
        select.bind(1, number)
        select.bind(2, Int64(max(0, limit)))
        var page = AuditPage()
        while page.hasRoom, try select.row() { page.add(try entry(select)) }
        return page
    }

    /// Reads all entries, also damaged ones, in order.
    static func forEach(
        _ connection: SQLiteConnection, _ body: (Result<AuditEntry, StoreError>) -> Void
    ) throws(StoreError) {
        let select = try connection.query(
            "SELECT number, time, body, hash, crc FROM audit ORDER BY number")
        defer { select.reset() }
        while try select.row() {
            do throws(StoreError) {
                body(.success(try entry(select)))
            } catch { body(.failure(error)) }
        }
    }

    /// Searches the oldest entries, which were made before a time, within the bounds of a turn.
    /// Those of a time after `now` count if an old one comes after them.
    ///
    /// - Parameter last: The number of the newest entry, which stays.
    /// - Throws: `.corrupt` when one of them is damaged: its time can't be trusted.
    static func oldest(
        before time: Int64, at now: Int64, last: Int64, _ connection: SQLiteConnection
    ) throws(StoreError) -> Oldest {
        let select = try connection.query(
            "SELECT number, time, body, hash, crc FROM audit WHERE number < ?1 ORDER BY number")
        defer { select.reset() }
        select.bind(1, last)
        var found = Oldest()
        var count = 0
        var bytes = 0
        while try select.row() {
            let entry = try entry(select)
            guard entry.time < time || entry.time > now else { break }
            guard count < StoreLimits.auditRowsPerTurn,
                bytes < StoreLimits.auditBytesPerTurn
            else {
                found.isIncomplete = true
                break
            }
            if entry.time < time { found.last = entry.number }
            count += 1
            bytes += select.bytes(2).count
        }
        return found
    }

    /// Writes an entry. One with its number is replaced.
    static func write(
        _ entry: AuditEntry, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        let body = entry.body
        let insert = try connection.prepare(
            "REPLACE INTO audit (number, time, body, hash, crc) VALUES (?1, ?2, ?3, ?4, ?5)")
        insert.bind(1, entry.number)
        insert.bind(2, entry.time)
        try insert.bind(3, copy: body)
        try insert.bind(4, copy: entry.hash)
        insert.bind(5, checksum(entry.number, entry.time, body, entry.hash))
        try insert.run()
    }

    /// Removes all entries up to a number.
    static func remove(
        through number: Int64, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) {
        let delete = try connection.prepare("DELETE FROM audit WHERE number <= ?1")
        delete.bind(1, number)
        try delete.run()
    }

    private static func entry(_ row: borrowing Statement) throws(StoreError) -> AuditEntry {
        let number = row.integer(0)
        let body = Array(row.bytes(2))
        let hash = Array(row.bytes(3))
        guard Int64(checksum(number, row.integer(1), body, hash)) == row.integer(4) else {
            throw .corrupt("entry \(number) of the audit does not match its checksum")
        }
        guard let entry = AuditEntry(body: body, hash: hash), entry.number == number,
            entry.time == row.integer(1)
        else { throw .corrupt("entry \(number) of the audit can't be read") }
        return entry
    }

    private static func checksum(
        _ number: Int64, _ time: Int64, _ body: [UInt8], _ hash: [UInt8]
    ) -> UInt32 {
        var checksum = Checksum()
        checksum.add(number, time)
        checksum.addCounted(body)
        checksum.addCounted(hash)
        return checksum.value
    }
}
