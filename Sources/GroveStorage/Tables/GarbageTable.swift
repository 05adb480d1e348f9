import GroveEngine

/// The SQL of `garbage`: deleted instances whose dedup records and journal steps aren't purged yet.
final class GarbageTable {
    private let replace: Statement
    private let first: Statement
    private let find: Statement
    private let before: Statement
    private let after: Statement
    private let delete: Statement
    private let all: Statement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        replace = try connection.prepare(
            "REPLACE INTO garbage (number, newest, crc) VALUES (?1, ?2, ?3)")
        first = try connection.prepare(
            "SELECT number, newest, crc FROM garbage ORDER BY number LIMIT 1")
        all = try connection.prepare(
            "SELECT number, newest, crc FROM garbage ORDER BY number")
        find = try connection.prepare(
            "SELECT number, newest, crc FROM garbage WHERE number = ?1")
        before = try connection.prepare(
            """
            SELECT number, newest, crc FROM garbage WHERE number < ?1
            ORDER BY number DESC LIMIT 1
            """)
        after = try connection.prepare(
            "SELECT number, newest, crc FROM garbage WHERE number > ?1 ORDER BY number LIMIT 1")
        delete = try connection.prepare("DELETE FROM garbage WHERE number = ?1")
    }

    private static func checksum(_ number: Int64, _ newest: Int64) -> UInt32 {
        var checksum = Checksum()
        checksum.add(number, newest)
        return checksum.value
    }

    /// Records a deleted instance, or the progress of its purge: `newest` is its newest journal
    /// step that isn't erased yet, 0 when all are.
    func write(_ deletion: WriteSet.Deletion) throws(SQLiteFailure) {
        replace.bind(1, deletion.number.value)
        replace.bind(2, deletion.newest)
        replace.bind(
            3, GarbageTable.checksum(deletion.number.value, deletion.newest))
        try replace.run()
    }

    func next() throws(StoreError) -> WriteSet.Deletion? {
        guard try first.row() else { return nil }
        defer { first.reset() }
        return try GarbageTable.sound(first)
    }

    /// Returns whether a number belongs to a deleted instance that isn't purged yet.
    ///
    /// - Throws: `.corrupt` when its row, or a row next to its position, is damaged.
    func holds(_ number: InstanceNumber) throws(StoreError) -> Bool {
        if try read(find, number) { return true }
        _ = try read(before, number)
        _ = try read(after, number)
        return false
    }

    private func read(
        _ statement: borrowing Statement, _ number: InstanceNumber
    ) throws(StoreError) -> Bool {
        statement.bind(1, number.value)
        defer { statement.reset() }
        guard try statement.row() else { return false }
        _ = try GarbageTable.sound(statement)
        return true
    }

    /// Calls `body` for every deleted instance that isn't purged yet, or with its row's error.
    func forEach(
        _ body: (Result<WriteSet.Deletion, StoreError>) -> Void
    ) throws(StoreError) {
        defer { all.reset() }
        while try all.row() {
            do throws(StoreError) { body(.success(try GarbageTable.sound(all))) } catch {
                body(.failure(error))
            }
        }
    }

    private static func sound(
        _ statement: borrowing Statement
    ) throws(StoreError) -> WriteSet.Deletion {
        let (number, newest) = (statement.integer(0), statement.integer(1))
        guard Int64(GarbageTable.checksum(number, newest)) == statement.integer(2) else {
            throw .corrupt("the garbage row of instance \(number) does not match its checksum")
        }
        return WriteSet.Deletion(number: InstanceNumber(number), newest: newest)
    }

    func remove(_ number: InstanceNumber) throws(SQLiteFailure) {
        delete.bind(1, number.value)
        try delete.run()
    }
}
