import CSQLite
import GroveEngine

/// The SQL of `instances`: one row per instance, with its snapshot.
final class InstanceTable {
    private let insert: Statement
    private let update: Statement
    private let delete: Statement
    private let byName: Statement
    private let byNumber: Statement
    private let from: Statement
    private let after: Statement
    private let before: Statement
    private let all: Statement
    private let afterNumber: Statement
    private let ofNumbers: Statement
    private let heading: Statement
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
        byNumber = try connection.prepare(
            "SELECT number, name, size, snapshot, crc FROM instances WHERE number = ?1")
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
        afterNumber = try connection.prepare(
            """
            SELECT number, name, size, snapshot, crc FROM instances
            WHERE number > ?1 ORDER BY number
            """)
        ofNumbers = try connection.prepare(
            """
            SELECT number, name, size, snapshot, crc FROM instances
            WHERE number BETWEEN ?1 AND ?2 AND length(snapshot) <= ?3 ORDER BY number
            """)
        heading = try connection.prepare(
            "SELECT name, size, snapshot FROM instances WHERE number = ?1")
    }

    // MARK: Counting

    /// The parts of a row that the counts of its machine need.
    struct Heading {
        /// The machine's name; of a damaged row, whatever is in its place.
        var machine: String
        var isDone: Bool

        /// Reads the current row; `first` is the column of its name, before `size` and `snapshot`.
        /// Doesn't verify the checksum: a damaged row is counted too, because `meta` counts it.
        init(_ row: borrowing Statement, first: Int32) {
            machine = Heading.machine(row.bytes(first))
            let size = row.integer(first + 1)
            if size == 0 {
                isDone = Heading.isDone(row.bytes(first + 2))
            } else {
                let plain = try? Deflate.inflate(row.bytes(first + 2), size: size)
                isDone = plain?.first.map { $0 & 1 == 1 } ?? false
            }
        }

        /// The machine in an instance's name.
        static func machine(_ name: UnsafeRawBufferPointer) -> String {
            String(decoding: name.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
        }

        /// Whether a plain snapshot is that of a done instance: its first bit.
        static func isDone(_ snapshot: UnsafeRawBufferPointer) -> Bool {
            (snapshot.first ?? 0) & 1 == 1
        }
    }

    /// Returns the heading of an instance's row; `nil` when there is none.
    func heading(of number: InstanceNumber) throws(SQLiteFailure) -> Heading? {
        heading.bind(1, number.value)
        defer { heading.reset() }
        return try heading.step() ? Heading(heading, first: 0) : nil
    }

    /// Calls `body` with the heading of each row.
    func forEachHeading(_ body: (Heading) -> Void) throws(SQLiteFailure) {
        defer { all.reset() }
        while try all.step() { body(Heading(all, first: 1)) }
    }

    // MARK: Checking

    /// Calls `body` for every instance in the order of numbers, or with its row's error.
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

    /// A snapshot as its row stores it.
    struct Content {
        /// The snapshot, compressed if that makes a large one smaller. Valid as long as the plain
        /// one, and until the next compression.
        let stored: UnsafeRawBufferPointer
        /// The plain length if it is compressed; else 0.
        let size: Int64

        /// - Parameter bytesMin: Bytes from which a snapshot is compressed.
        init(_ plain: UnsafeRawBufferPointer, _ deflate: Deflate, from bytesMin: Int) {
            let small = plain.count < bytesMin ? nil : deflate.compress(plain)
            stored = small ?? plain
            size = small == nil ? 0 : Int64(plain.count)
        }
    }

    /// Writes the row of a new instance.
    func insert(
        _ number: InstanceNumber, name: UnsafeRawBufferPointer, _ content: Content
    ) throws(SQLiteFailure) {
        let (number, size, stored) = (number.value, content.size, content.stored)
        insert.bind(1, number)
        try insert.bind(2, text: name)
        insert.bind(3, size)
        try insert.bind(4, blob: stored)
        insert.bind(5, InstanceTable.checksum(number, size, stored, name))
        try insert.run()
    }

    /// Writes a newer snapshot.
    ///
    /// - Throws: `SQLITE_CORRUPT` when the instance's row isn't there.
    func update(
        _ number: InstanceNumber, name: UnsafeRawBufferPointer, _ content: Content
    ) throws(SQLiteFailure) {
        let (number, size, stored) = (number.value, content.size, content.stored)
        let crc = InstanceTable.checksum(number, size, stored, name)
        update.bind(1, number)
        update.bind(2, size)
        try update.bind(3, blob: stored)
        update.bind(4, crc)
        try update.run()
        guard connection.changes == 1 else {
            throw .corrupt("the row of instance \(number) is missing")
        }
    }

    /// Removes one row; `false` when there was none.
    func remove(_ number: InstanceNumber) throws(SQLiteFailure) -> Bool {
        delete.bind(1, number.value)
        try delete.run()
        return connection.changes == 1
    }

    // MARK: Reading

    /// Returns the instance of a name, or `nil`.
    ///
    /// - Throws: `.corrupt` when its row, or a row next to its position, is damaged.
    func find(_ name: InstanceName) throws(StoreError) -> StoredInstance? {
        try byName.bindKey(name.text)
        if try byName.row() {
            defer { byName.reset() }
            return try InstanceTable.decode(byName)
        }
        // A damaged name or index entry misleads a search, but only to a position next to it. So
        // an instance counts as absent only when its neighbors are sound.
        try before.bindKey(name.text)
        try verify(before)
        try after.bindKey(name.text)
        try verify(after)
        return nil
    }

    /// Returns the instance of a number, or `nil`.
    ///
    /// - Throws: `.corrupt` when its row is damaged.
    func find(_ number: InstanceNumber) throws(StoreError) -> StoredInstance? {
        byNumber.bind(1, number.value)
        defer { byNumber.reset() }
        return try byNumber.row() ? try InstanceTable.decode(byNumber) : nil
    }

    /// A row that a search has found. Valid as long as its body runs.
    struct Row {
        fileprivate let table: InstanceTable

        var number: InstanceNumber { InstanceNumber(table.ofNumbers.integer(0)) }

        /// Whether the snapshot has all steps of the instance up to one. The checksum isn't
        /// verified.
        ///
        /// - Returns: `false` also for a compressed snapshot.
        func holds(_ step: JournalPosition) -> Bool {
            guard table.ofNumbers.integer(2) == 0 else { return false }
            do throws(StoreError) {
                return try StoredInstance.newest(decoding: table.ofNumbers.bytes(3)) >= step
            } catch { return false }
        }

        /// Decodes the instance.
        ///
        /// - Throws: `.corrupt` when the row is damaged.
        func instance() throws(StoreError) -> StoredInstance {
            try InstanceTable.decode(table.ofNumbers)
        }
    }

    /// Calls `body` for the rows of some numbers with small snapshots, in order: larger ones would
    /// be read from the file, needed or not.
    func forEachSmall(
        in numbers: ClosedRange<InstanceNumber>, _ body: (Row) throws(StoreError) -> Void
    ) throws(StoreError) {
        ofNumbers.bind(1, numbers.lowerBound.value)
        ofNumbers.bind(2, numbers.upperBound.value)
        ofNumbers.bind(3, Int64(StoreLimits.postponedSnapshotBytesMax))
        defer { ofNumbers.reset() }
        while try ofNumbers.row() { try body(Row(table: self)) }
    }

    /// Returns instances after a number that are done and had their last step before a time.
    func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        var page = FinishedPage(names: [], next: nil)
        afterNumber.bind(1, number.value)
        defer { afterNumber.reset() }
        var looked = 0
        var room = StoreLimits.doneSearchBytesMax
        while try afterNumber.row() {
            do throws(StoreError) {
                room -= try collectDone(before: time, &page)
            } catch .corrupt(let location) {
                // It stays. The search continues after it, if its number is plausible.
                guard afterNumber.integer(0) > number.value else { throw .corrupt(location) }
                page.damaged.append(location)
            }
            looked += 1
            guard looked < limit, room > 0 else {
                page.next = InstanceNumber(afterNumber.integer(0))
                break
            }
        }
        return page
    }

    /// Adds the current row's instance to the page if it is done since before `time`. Returns the
    /// bytes read.
    private func collectDone(
        before time: Timestamp, _ page: inout FinishedPage
    ) throws(StoreError) -> Int {
        let name = try InstanceTable.sound(afterNumber)
        let isPlain = afterNumber.integer(2) == 0
        let bytes = afterNumber.bytes(3).count + Int(afterNumber.integer(2))
        // The first bit of a plain snapshot says whether it is done.
        if !isPlain || (afterNumber.bytes(3).first ?? 0) & 1 == 1 {
            let instance = try InstanceTable.decode(afterNumber)
            if instance.isDone, instance.updated < time { page.names.append(name) }
        }
        return bytes
    }

    private func verify(_ statement: borrowing Statement) throws(StoreError) {
        defer { statement.reset() }
        if try statement.row() { _ = try InstanceTable.sound(statement) }
    }

    /// Returns up to `limit` instances in the byte order of names that start with `prefix` and
    /// follow `after`. Ends with the instance with which their states reach `bytes` bytes.
    func page(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        if let after, !after.utf8.lexicographicallyPrecedes(prefix.utf8) {
            try self.after.bindKey(after)
            return try collect(self.after, prefix: prefix, limit: limit, bytes: bytes)
        }
        try from.bindKey(prefix)
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

    /// Verifies the current row's checksum and returns its name.
    private static func sound(
        _ statement: borrowing Statement
    ) throws(StoreError) -> InstanceName {
        let number = statement.integer(0)
        // The same bytes as a blob would sort after all texts.
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
        return try plain.read(0..<plain.count) { bytes throws(StoreError) in
            try StoredInstance(decoding: bytes, number: number, name: name)
        }
    }
}
