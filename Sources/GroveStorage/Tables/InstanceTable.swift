import CSQLite
import GroveEngine

/// The SQL of `instances`: one row per instance that was not deleted, its snapshot in it.
final class InstanceTable {
    private let insert: Statement
    private let update: Statement
    private let delete: Statement
    private let byName: Statement
    private let from: Statement
    private let after: Statement
    private let before: Statement
    private let all: Statement
    private let behind: Statement
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        insert = try connection.prepare(
            """
            INSERT INTO instances (number, name, size, snapshot, crc)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        update = try connection.prepare(
            "UPDATE instances SET size = ?2, snapshot = ?3, crc = ?4 WHERE number = ?1")
        delete = try connection.prepare("DELETE FROM instances WHERE number = ?1")
        all = try connection.prepare(
            "SELECT number, name, size, snapshot, crc FROM instances ORDER BY number")
        byName = try connection.prepare(
            "SELECT number, name, size, snapshot, crc FROM instances WHERE name = ?1")
        from = try connection.prepare(
            """
            SELECT number, name, size, snapshot, crc FROM instances
            WHERE name >= ?1 ORDER BY name
            """)
        after = try connection.prepare(
            """
            SELECT number, name, size, snapshot, crc FROM instances
            WHERE name > ?1 ORDER BY name
            """)
        before = try connection.prepare(
            """
            SELECT number, name, size, snapshot, crc FROM instances
            WHERE name < ?1 ORDER BY name DESC LIMIT 1
            """)
        behind = try connection.prepare(
            """
            SELECT number, name, size, snapshot, crc FROM instances
            WHERE number > ?1 ORDER BY number
            """)
    }

    /// Bytes of snapshots that one search for done instances looks at.
    private static let finishedBytesMax = 512 << 10

    // MARK: Checking

    /// Hands over every instance in the order of numbers, or what is wrong with its row.
    func forEach(
        _ body: (Result<StoredInstance, StoreError>) -> Void
    ) throws(StoreError) {
        defer { all.reset() }
        while try all.row() {
            do throws(StoreError) { body(.success(try InstanceTable.decode(all))) } catch {
                body(.failure(error))
            }
        }
    }

    // MARK: Writing

    private static func checksum(
        _ number: Int64, _ size: Int64, _ stored: UnsafeRawBufferPointer,
        _ name: UnsafeRawBufferPointer
    ) -> UInt32 {
        var checksum = Checksum()
        checksum.add(number, size)
        checksum.add(stored)
        checksum.add(name)
        return checksum.value
    }

    /// Writes one snapshot; `size` is that of the plain bytes when `stored` is compressed, else 0.
    ///
    /// - Throws: `SQLITE_CORRUPT` when an instance that should be there isn't.
    func write(
        _ instance: WriteSet.InstanceWrite, name: UnsafeRawBufferPointer,
        stored: UnsafeRawBufferPointer, size: Int64
    ) throws(SQLiteFailure) {
        let number = instance.number.value
        let crc = InstanceTable.checksum(number, size, stored, name)
        if instance.isNew {
            insert.bind(1, number)
            try insert.bind(2, text: name)
            insert.bind(3, size)
            try insert.bind(4, blob: stored)
            insert.bind(5, crc)
            return try insert.run()
        }
        update.bind(1, number)
        update.bind(2, size)
        try update.bind(3, blob: stored)
        update.bind(4, crc)
        try update.run()
        guard connection.changes == 1 else {
            throw SQLiteFailure(
                code: SQLITE_CORRUPT, systemError: 0,
                message: "the row of instance \(number) is missing")
        }
    }

    /// Removes one row; `false` when there was none.
    func remove(_ number: InstanceNumber) throws(SQLiteFailure) -> Bool {
        delete.bind(1, number.value)
        try delete.run()
        return connection.changes == 1
    }

    // MARK: Reading

    /// The instance of a name, or `nil`.
    ///
    /// - Throws: `.corrupt` when its row, or a row beside the place where it would be, is damaged.
    func find(_ name: InstanceName) throws(StoreError) -> StoredInstance? {
        try bind(byName, name.text)
        if try byName.row() {
            defer { byName.reset() }
            return try InstanceTable.decode(byName)
        }
        // A damaged name or index entry leads a search astray, but only to the place beside it:
        // so nothing is called absent before its neighbours are seen to be sound.
        try bind(before, name.text)
        try verify(before)
        try bind(after, name.text)
        try verify(after)
        return nil
    }

    /// The instances behind a number that are done and had their last step before a time.
    func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        var page = FinishedPage(names: [], next: nil)
        behind.bind(1, number.value)
        defer { behind.reset() }
        var looked = 0
        var room = InstanceTable.finishedBytesMax
        while try behind.row() {
            do throws(StoreError) {
                room -= try look(at: time, &page)
            } catch .corrupt(let place) {
                // It stays; the search goes on behind it, if it says where that is.
                guard behind.integer(0) > number.value else { throw .corrupt(place) }
                page.damaged.append(place)
            }
            looked += 1
            guard looked < limit, room > 0 else {
                page.next = InstanceNumber(behind.integer(0))
                break
            }
        }
        return page
    }

    /// Looks whether the present row is of an instance that is done for long; the bytes it has.
    private func look(
        at time: Timestamp, _ page: inout FinishedPage
    ) throws(StoreError) -> Int {
        let name = try InstanceTable.sound(behind)
        let isPlain = behind.integer(2) == 0
        let bytes = behind.bytes(3).count + Int(behind.integer(2))
        // The first bit of a plain snapshot says whether it is done.
        if !isPlain || (behind.bytes(3).first ?? 0) & 1 == 1 {
            let instance = try InstanceTable.decode(behind)
            if instance.isDone, instance.updated < time { page.names.append(name) }
        }
        return bytes
    }

    private func verify(_ statement: borrowing Statement) throws(StoreError) {
        defer { statement.reset() }
        if try statement.row() { _ = try InstanceTable.sound(statement) }
    }

    private func bind(
        _ statement: borrowing Statement, _ name: String
    ) throws(StoreError) {
        do { try statement.bind(1, copy: name) } catch { throw error.storeError }
    }

    /// One page in the order of names' bytes: those that start with `prefix` and follow `after`,
    /// at most `limit`, and none behind the one with which their states have `bytes` bytes.
    func page(
        prefix: String, after place: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        if let place, !place.utf8.lexicographicallyPrecedes(prefix.utf8) {
            try bind(after, place)
            return try collect(after, prefix: prefix, limit: limit, bytes: bytes)
        }
        try bind(from, prefix)
        return try collect(from, prefix: prefix, limit: limit, bytes: bytes)
    }

    private func collect(
        _ statement: borrowing Statement, prefix: String, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        defer { statement.reset() }
        let prefix = Array(prefix.utf8)
        var found: [StoredInstance] = []
        var room = bytes
        while found.count < limit, room > 0, try statement.row() {
            guard statement.bytes(1).starts(with: prefix) else { break }
            let instance = try InstanceTable.decode(statement)
            room -= instance.state.count
            found.append(instance)
        }
        return found
    }

    /// The name of the present row, whose checksum is verified.
    private static func sound(
        _ statement: borrowing Statement
    ) throws(StoreError) -> InstanceName {
        let number = statement.integer(0)
        // The same bytes as a blob would stand behind all texts.
        let isText = statement.type(1) == SQLITE_TEXT
        guard isText, let name = InstanceName(utf8: statement.bytes(1)) else {
            throw .corrupt("instance \(number) has no valid name")
        }
        let crc = checksum(
            number, statement.integer(2), statement.bytes(3), statement.bytes(1))
        guard Int64(crc) == statement.integer(4) else {
            throw .corrupt("the row of instance \(number) does not match its checksum")
        }
        return name
    }

    private static func decode(
        _ statement: borrowing Statement
    ) throws(StoreError) -> StoredInstance {
        let name = try sound(statement)
        let number = InstanceNumber(statement.integer(0))
        let size = statement.integer(2)
        let stored = statement.bytes(3)
        if size == 0 {
            return try StoredInstance(decoding: stored, number: number, name: name)
        }
        let plain = try Deflate.inflate(stored, size: size)
        let decoded = plain.withUnsafeBytes { bytes -> Result<StoredInstance, StoreError> in
            do throws(StoreError) {
                return .success(
                    try StoredInstance(decoding: bytes, number: number, name: name))
            } catch { return .failure(error) }
        }
        return try decoded.get()
    }
}
