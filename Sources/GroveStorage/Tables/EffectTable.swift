import CSQLite
import GroveEngine

/// The SQL of `effects`: one row per live effect. What searches by time or handler is in
/// ``EffectIndexes``.
final class EffectTable {
    private let insert: Statement
    private let update: Statement
    private let delete: Statement
    private let find: Statement
    private let before: Statement
    private let after: Statement
    private let from: Statement
    private let all: Statement
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        insert = try connection.prepare(
            """
            INSERT INTO effects (number, run, due, lane, body, crc)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        update = try connection.prepare(
            """
            UPDATE effects SET due = ?3, lane = ?4, body = ?5, crc = ?6
            WHERE number = ?1 AND run = ?2
            """)
        delete = try connection.prepare("DELETE FROM effects WHERE number = ?1 AND run = ?2")
        find = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE number = ?1 AND run = ?2
            """)
        before = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE (number, run) < (?1, ?2) ORDER BY number DESC, run DESC LIMIT 1
            """)
        after = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE (number, run) > (?1, ?2) ORDER BY number, run LIMIT 1
            """)
        // By one column only: of a search by two, SQLite compares every row with the bound once
        // more, and would leave out a damaged one without a word.
        from = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE number >= ?1 ORDER BY number, run
            """)
        all = try connection.prepare(
            "SELECT number, run, due, lane, body, crc FROM effects ORDER BY number, run")
    }

    // MARK: Writing

    /// Writes one row; `body` is that of `effect`, encoded.
    ///
    /// - Throws: `SQLITE_CORRUPT` when a row that should be there isn't; `SQLITE_CONSTRAINT` when
    ///   a new one is.
    func write(
        _ effect: StoredEffect, body: [UInt8], isNew: Bool
    ) throws(SQLiteFailure) {
        if isNew {
            try bind(insert, effect, body)
            return try insert.run()
        }
        try bind(update, effect, body)
        try update.run()
        try requireChange(effect.ref)
    }

    private func bind(
        _ statement: borrowing Statement, _ effect: StoredEffect, _ body: [UInt8]
    ) throws(SQLiteFailure) {
        let due = effect.due?.milliseconds
        statement.bind(1, effect.ref.number.value)
        statement.bind(2, effect.ref.run)
        try statement.bind(3, due)
        try statement.bind(4, copy: effect.lane)
        try statement.bind(5, copy: body)
        let lane = effect.lane.map { Array($0.utf8) }
        let crc = (lane ?? []).withUnsafeBytes { laneBytes in
            body.withUnsafeBytes {
                EffectTable.checksum(
                    effect.ref, due: due, lane: lane == nil ? nil : laneBytes, body: $0)
            }
        }
        statement.bind(6, crc)
    }

    /// Removes one row.
    ///
    /// - Throws: `SQLITE_CORRUPT` when there is none.
    func remove(_ ref: EffectRef) throws(SQLiteFailure) {
        delete.bind(1, ref.number.value)
        delete.bind(2, ref.run)
        try delete.run()
        try requireChange(ref)
    }

    private func requireChange(_ ref: EffectRef) throws(SQLiteFailure) {
        guard connection.changes == 1 else {
            throw SQLiteFailure(
                code: SQLITE_CORRUPT, systemError: 0,
                message: "the row of effect \(ref.run) of instance \(ref.number.value) is missing")
        }
    }

    private static func checksum(
        _ ref: EffectRef, due: Int64?, lane: UnsafeRawBufferPointer?, body: UnsafeRawBufferPointer
    ) -> UInt32 {
        var checksum = Checksum()
        checksum.add(ref.number.value, ref.run)
        checksum.add((due == nil ? 0 : 1) | (lane == nil ? 0 : 2), due ?? 0)
        checksum.add(Int64(lane?.count ?? 0))
        if let lane { checksum.add(lane) }
        checksum.add(body)
        return checksum.value
    }

    // MARK: Reading

    /// One effect, or `nil`.
    ///
    /// - Throws: `.corrupt` when its row, or a row beside the place where it would be, is damaged:
    ///   a damaged key leads a search astray, but only to the place beside it.
    func find(_ ref: EffectRef) throws(StoreError) -> StoredEffect? {
        bind(find, ref)
        if try find.row() {
            defer { find.reset() }
            return try EffectTable.decode(find)
        }
        try verify(before, ref)
        try verify(after, ref)
        return nil
    }

    /// What an effect is searched by besides its ref; `nil` when its row is missing.
    ///
    /// - Throws: `.corrupt` when the row is damaged.
    func keys(of ref: EffectRef) throws(StoreError) -> (due: Int64?, lane: [UInt8]?)? {
        bind(find, ref)
        guard try find.row() else { return nil }
        defer { find.reset() }
        _ = try EffectTable.sound(find)
        return (
            find.type(2) == SQLITE_NULL ? nil : find.integer(2),
            find.type(3) == SQLITE_NULL ? nil : Array(find.bytes(3))
        )
    }

    /// The effects of one instance, in order.
    ///
    /// - Throws: `.corrupt` when one of them, or a row beside them, is damaged.
    func all(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        var found: [StoredEffect] = []
        try scan(from: number) { (ref) throws(StoreError) in
            guard ref.number == number else { return false }
            found.append(try EffectTable.decode(from))
            return true
        }
        return found
    }

    /// A page of effects in the order of their refs, behind `place`.
    ///
    /// - Throws: `.corrupt` when one of them, or one of the same instance before, is damaged.
    func page(after place: EffectRef?, limit: Int) throws(StoreError) -> [StoredEffect] {
        var found: [StoredEffect] = []
        guard limit > 0 else { return found }
        try scan(from: place?.number ?? InstanceNumber(.min)) { (ref) throws(StoreError) in
            if let place, ref <= place { return true }
            found.append(try EffectTable.decode(from))
            return found.count < limit
        }
        return found
    }

    /// Hands over the verified rows from an instance's first on, until the answer is `false`.
    private func scan(
        from number: InstanceNumber, _ body: (EffectRef) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try verify(before, EffectRef(number: number, run: .min))
        from.bind(1, number.value)
        defer { from.reset() }
        var last: EffectRef?
        while try from.row() {
            let ref = try EffectTable.sound(from)
            if let last, ref <= last {
                throw .corrupt(
                    "effect \(ref.run) of instance \(ref.number.value) is out of its order")
            }
            last = ref
            guard try body(ref) else { return }
        }
    }

    /// Hands over every effect in order, or what is wrong with its row.
    func forEach(
        _ body: (EffectRef, Result<StoredEffect, StoreError>) -> Void
    ) throws(StoreError) {
        defer { all.reset() }
        while try all.row() {
            let ref = EffectTable.ref(all)
            do throws(StoreError) {
                _ = try EffectTable.sound(all)
                body(ref, .success(try EffectTable.decode(all)))
            } catch { body(ref, .failure(error)) }
        }
    }

    private func bind(_ statement: borrowing Statement, _ ref: EffectRef) {
        statement.bind(1, ref.number.value)
        statement.bind(2, ref.run)
    }

    private func verify(
        _ statement: borrowing Statement, _ ref: EffectRef
    ) throws(StoreError) {
        bind(statement, ref)
        defer { statement.reset() }
        if try statement.row() { _ = try EffectTable.sound(statement) }
    }

    private static func ref(_ statement: borrowing Statement) -> EffectRef {
        EffectRef(number: InstanceNumber(statement.integer(0)), run: statement.integer(1))
    }

    /// Whose the present row is, whose checksum is verified. The types are, too: the same bytes
    /// as a blob would be another value to SQLite.
    private static func sound(
        _ statement: borrowing Statement
    ) throws(StoreError) -> EffectRef {
        let ref = ref(statement)
        let (due, lane) = (statement.type(2), statement.type(3))
        let crc = checksum(
            ref, due: due == SQLITE_NULL ? nil : statement.integer(2),
            lane: lane == SQLITE_NULL ? nil : statement.bytes(3), body: statement.bytes(4))
        guard Int64(crc) == statement.integer(5), [SQLITE_INTEGER, SQLITE_NULL].contains(due),
            [SQLITE_TEXT, SQLITE_NULL].contains(lane)
        else {
            throw .corrupt(
                "effect \(ref.run) of instance \(ref.number.value) does not match its checksum")
        }
        return ref
    }

    private static func decode(
        _ statement: borrowing Statement
    ) throws(StoreError) -> StoredEffect {
        let due = statement.type(2) == SQLITE_NULL ? nil : statement.integer(2)
        return try StoredEffect(
            ref: ref(statement), due: due.map { Timestamp(milliseconds: $0) },
            lane: statement.type(3) == SQLITE_NULL ? nil : statement.text(3),
            decoding: statement.bytes(4))
    }
}
