import GroveEngine

/// The SQL of `dedup`: the result of the first event with each key.
final class DedupTable {
    private let replace: Statement
    private let find: Statement
    private let before: Statement
    private let after: Statement
    private let deleteSome: Statement
    private let all: Statement
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        replace = try connection.prepare(
            "REPLACE INTO dedup (number, key, entry, crc) VALUES (?1, ?2, ?3, ?4)")
        find = try connection.prepare(
            "SELECT number, key, entry, crc FROM dedup WHERE number = ?1 AND key = ?2")
        before = try connection.prepare(
            """
            SELECT number, key, entry, crc FROM dedup
            WHERE (number, key) < (?1, ?2) ORDER BY number DESC, key DESC LIMIT 1
            """)
        after = try connection.prepare(
            """
            SELECT number, key, entry, crc FROM dedup
            WHERE (number, key) > (?1, ?2) ORDER BY number, key LIMIT 1
            """)
        all = try connection.prepare(
            "SELECT number, key, entry, crc FROM dedup ORDER BY number, key")
        deleteSome = try connection.prepare(
            """
            DELETE FROM dedup WHERE number = ?1 AND key IN
            (SELECT key FROM dedup WHERE number = ?1 ORDER BY key LIMIT ?2)
            """)
    }

    private static func checksum(
        _ number: Int64, entry: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
    ) -> UInt32 {
        var checksum = Checksum()
        checksum.add(number, Int64(entry.count))
        checksum.add(entry)
        checksum.add(key)
        return checksum.value
    }

    /// Writes one entry. It may be there already: a start redoes entries that were written, because
    /// the redo point lags. `scratch` is the buffer to encode it in.
    func write(_ dedup: WriteSet.DedupWrite, scratch: inout [UInt8]) throws(SQLiteFailure) {
        scratch.removeAll(keepingCapacity: true)
        DedupTable.encode(dedup.entry, into: &scratch)
        let number = dedup.number.value
        let crc = scratch.withUnsafeBytes { entry in
            dedup.key.withUnsafeBytes { DedupTable.checksum(number, entry: entry, key: $0) }
        }
        replace.bind(1, number)
        try replace.bind(2, copy: dedup.key)
        try replace.bind(3, copy: scratch)
        replace.bind(4, crc)
        try replace.run()
    }

    /// Returns the entry of a key, or `nil`.
    ///
    /// - Throws: `.corrupt` when its row, or a row next to its position, is damaged. A damaged key
    ///   misleads a search, but only to a position next to it.
    func find(_ number: InstanceNumber, _ key: [UInt8]) throws(StoreError) -> DedupEntry? {
        if let entry = try read(find, number, key) { return entry }
        _ = try read(before, number, key)
        _ = try read(after, number, key)
        return nil
    }

    /// Returns whether a key has just this entry.
    ///
    /// - Throws: `.corrupt` when its row is damaged.
    func holds(
        _ entry: DedupEntry, _ number: InstanceNumber, _ key: [UInt8]
    ) throws(StoreError) -> Bool {
        try read(find, number, key) == entry
    }

    private func read(
        _ statement: borrowing Statement, _ number: InstanceNumber, _ key: [UInt8]
    ) throws(StoreError) -> DedupEntry? {
        statement.bind(1, number.value)
        do { try statement.bind(2, copy: key) } catch { throw error.storeError }
        defer { statement.reset() }
        guard try statement.row() else { return nil }
        return try DedupTable.sound(statement)
    }

    /// Calls `body` for every record, or with its row's error.
    func forEach(
        _ body: (InstanceNumber, Result<DedupEntry, StoreError>) -> Void
    ) throws(StoreError) {
        defer { all.reset() }
        while try all.row() {
            let number = InstanceNumber(all.integer(0))
            do throws(StoreError) { body(number, .success(try DedupTable.sound(all))) } catch {
                body(number, .failure(error))
            }
        }
    }

    private static func sound(
        _ statement: borrowing Statement
    ) throws(StoreError) -> DedupEntry {
        let bytes = statement.bytes(2)
        let crc = DedupTable.checksum(
            statement.integer(0), entry: bytes, key: statement.bytes(1))
        guard Int64(crc) == statement.integer(3) else {
            throw .corrupt(
                "a dedup record of instance \(statement.integer(0)) does not match its checksum")
        }
        return try DedupTable.decode(bytes)
    }

    /// Deletes some records of an instance. Returns whether all are gone.
    func removeSome(_ number: InstanceNumber) throws(SQLiteFailure) -> Bool {
        deleteSome.bind(1, number.value)
        deleteSome.bind(2, Int64(StoreLimits.purgedDedupsMax))
        try deleteSome.run()
        return connection.changes < StoreLimits.purgedDedupsMax
    }

    // MARK: Bytes of an entry

    /// Encodes the hash as twice eight bytes, upper half before lower, each least significant byte
    /// first. Then flags (1 changed, 2 done, 4 the hash of the event as it was sent follows at the
    /// end), version and sequence.
    static func encode(_ entry: DedupEntry, into bytes: inout [UInt8]) {
        ByteCoding.append(EventHash(high: entry.hashHigh, low: entry.hashLow), to: &bytes)
        bytes.append(
            (entry.changed ? 1 : 0) | (entry.done ? 2 : 0) | (entry.written == nil ? 0 : 4))
        ByteCoding.append(entry.version, to: &bytes)
        ByteCoding.append(entry.sequence, to: &bytes)
        if let written = entry.written { ByteCoding.append(written, to: &bytes) }
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> DedupEntry {
        var reader = ByteReader(bytes)
        let hash = try reader.hash()
        let flags = try reader.byte()
        var entry = DedupEntry(
            hashHigh: hash.high, hashLow: hash.low, version: try reader.integer(),
            sequence: try reader.integer(), changed: flags & 1 != 0, done: flags & 2 != 0)
        if flags & 4 != 0 { entry.written = try reader.hash() }
        guard reader.isAtEnd, flags < 8 else {
            throw .corrupt("a dedup record has bytes after its end")
        }
        return entry
    }
}
