import CSQLite
import GroveEngine

/// The SQL of `effects`: one row per live effect. ``EffectIndexes`` has the searches by time and
/// handler.
final class EffectTable {
    private let insert: Statement
    private let update: Statement
    private let delete: Statement
    private let find: Statement
    private let lower: Statement
    private let higher: Statement
    private let before: Statement
    private let from: Statement
    private let ofOne: Statement
    private let ofOneBefore: Statement
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
        lower = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE (number, run) < (?1, ?2) ORDER BY number DESC, run DESC LIMIT 2
            """)
        higher = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE (number, run) > (?1, ?2) ORDER BY number, run LIMIT 2
            """)
        // By one column only: in a search by two, SQLite compares every row with the bound again
        // and would silently leave out a damaged row.
        before = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE number < ?1 ORDER BY number DESC, run DESC LIMIT 2
            """)
        from = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE number >= ?1 ORDER BY number, run
            """)
        ofOne = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE number = ?1 AND run > ?2 ORDER BY run
            """)
        ofOneBefore = try connection.prepare(
            """
            SELECT number, run, due, lane, body, crc FROM effects
            WHERE number = ?1 AND run <= ?2 ORDER BY run DESC LIMIT 2
            """)
        all = try connection.prepare(
            "SELECT number, run, due, lane, body, crc FROM effects ORDER BY number, run")
    }

    // MARK: Writing

    /// Writes one row; `body` is the encoded body of `effect`.
    ///
    /// - Throws: `SQLITE_CORRUPT` when the row to update is missing; `SQLITE_CONSTRAINT` when a new
    ///   row already exists.
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
        statement.bind(1, effect.ref.instance.value)
        statement.bind(2, effect.ref.number)
        try statement.bind(3, due)
        try statement.bind(4, copy: effect.handlerQueue)
        try statement.bind(5, copy: body)
        let lane = effect.handlerQueue.map { Array($0.utf8) }
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
        delete.bind(1, ref.instance.value)
        delete.bind(2, ref.number)
        try delete.run()
        try requireChange(ref)
    }

    private func requireChange(_ ref: EffectRef) throws(SQLiteFailure) {
        guard connection.changes == 1 else {
            throw .corrupt(
                "the row of effect \(ref.number) of instance \(ref.instance.value) is missing")
        }
    }

    private static func checksum(
        _ ref: EffectRef, due: Int64?, lane: UnsafeRawBufferPointer?, body: UnsafeRawBufferPointer
    ) -> UInt32 {
        var checksum = Checksum()
        checksum.add(ref.instance.value, ref.number)
        checksum.add((due == nil ? 0 : 1) | (lane == nil ? 0 : 2), due ?? 0)
        checksum.add(Int64(lane?.count ?? 0))
        if let lane { checksum.add(lane) }
        checksum.add(body)
        return checksum.value
    }

    // MARK: Reading

    /// Returns one effect, or `nil`.
    ///
    /// - Throws: `.corrupt` when its row, or a row next to its position, is damaged. A damaged key
    ///   misleads a search, but only to a position next to it.
    func find(_ ref: EffectRef) throws(StoreError) -> StoredEffect? {
        if try step(to: ref) {
            defer { find.reset() }
            return try EffectTable.decode(find)
        }
        lower.bind(1, ref.instance.value)
        lower.bind(2, ref.number)
        try verify(lower, ref) { $1 < $0 }
        higher.bind(1, ref.instance.value)
        higher.bind(2, ref.number)
        try verify(higher, ref) { $0 < $1 }
        return nil
    }

    /// Returns the keys of an effect in the indexes; `nil` when its row is missing.
    ///
    /// - Throws: `.corrupt` when the row is damaged.
    func keys(of ref: EffectRef) throws(StoreError) -> (due: Int64?, lane: [UInt8]?)? {
        guard try step(to: ref) else { return nil }
        defer { find.reset() }
        return (
            find.type(2) == SQLITE_NULL ? nil : find.integer(2),
            find.type(3) == SQLITE_NULL ? nil : Array(find.bytes(3))
        )
    }

    /// Moves to the row of an effect and verifies it; `false` when there is none.
    private func step(to ref: EffectRef) throws(StoreError) -> Bool {
        find.bind(1, ref.instance.value)
        find.bind(2, ref.number)
        guard try find.row() else { return false }
        do throws(StoreError) {
            guard try EffectTable.sound(find) == ref else { throw EffectTable.outOfOrder(ref) }
            return true
        } catch {
            find.reset()
            throw error
        }
    }

    /// Returns the effects of one instance, in order.
    ///
    /// - Throws: `.corrupt` when one of them, or a neighboring row, is damaged.
    func all(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        var found: [StoredEffect] = []
        try scan(from: number, after: nil) { (ref) throws(StoreError) in
            guard ref.instance == number else { return false }
            found.append(try EffectTable.decode(from))
            return true
        }
        return found
    }

    /// Like `all(of:)`, but neighboring rows may be damaged. An effect of the instance whose number
    /// is damaged is missing here.
    func own(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        from.bind(1, number.value)
        defer { from.reset() }
        var found: [StoredEffect] = []
        while try from.row(), EffectTable.ref(from).instance == number {
            let ref = try EffectTable.sound(from)
            if let last = found.last, last.ref >= ref { throw EffectTable.outOfOrder(ref) }
            found.append(try EffectTable.decode(from))
        }
        return found
    }

    /// Returns a page of effects after `after`, in the order of refs.
    ///
    /// - Throws: `.corrupt` when one of them, or one of the same instance before them, is damaged.
    func page(after: EffectRef?, limit: Int) throws(StoreError) -> [StoredEffect] {
        var found: [StoredEffect] = []
        guard limit > 0 else { return found }
        var number = InstanceNumber(.min)
        var last: EffectRef?
        if let after {
            last = try own(after: after, &found, limit: limit)
            number = InstanceNumber(after.instance.value &+ 1)
        }
        if found.count == limit || number.value == .min, let last {
            higher.bind(1, last.instance.value)
            higher.bind(2, last.number)
            try verify(higher, last) { $0 < $1 }
            return found
        }
        try scan(from: number, after: last) { (_) throws(StoreError) in
            found.append(try EffectTable.decode(from))
            return found.count < limit
        }
        return found
    }

    /// Collects the effects of one instance after a ref. Verifies the rows before it. Returns the
    /// last ref passed.
    private func own(
        after place: EffectRef, _ found: inout [StoredEffect], limit: Int
    ) throws(StoreError) -> EffectRef {
        let start = EffectRef(instance: place.instance, number: .min)
        before.bind(1, place.instance.value)
        try verify(before, start) { $1 < $0 }
        ofOneBefore.bind(1, place.instance.value)
        ofOneBefore.bind(2, place.number)
        try verify(ofOneBefore, place) { !($0 < $1) }
        ofOne.bind(1, place.instance.value)
        ofOne.bind(2, place.number)
        defer { ofOne.reset() }
        var last = place
        while found.count < limit, try ofOne.row() {
            let ref = try EffectTable.sound(ofOne)
            guard last < ref else { throw EffectTable.outOfOrder(ref) }
            last = ref
            found.append(try EffectTable.decode(ofOne))
        }
        return last
    }

    /// Calls `body` for the verified rows from an instance's first on, until it returns `false`.
    /// Also verifies the rows around them.
    ///
    /// - Parameters:
    ///   - number: The instance.
    ///   - seen: The last ref passed. The row before the instance's first must not come after it.
    ///   - body: Receives the ref of the current row.
    private func scan(
        from number: InstanceNumber, after seen: EffectRef?,
        _ body: (EffectRef) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let start = EffectRef(instance: number, number: .min)
        before.bind(1, number.value)
        let edge = try verify(before, start) { $1 < $0 }
        if let edge, let seen, seen < edge { throw EffectTable.outOfOrder(edge) }
        from.bind(1, number.value)
        defer { from.reset() }
        var last = start
        var isOver = false
        while try from.row() {
            let ref = try EffectTable.sound(from)
            guard last < ref else { throw EffectTable.outOfOrder(ref) }
            last = ref
            if isOver { return }
            isOver = try !body(ref)
        }
    }

    /// Verifies the rows that a statement returns, and that they follow `bound` and each other.
    /// Returns the first.
    @discardableResult
    private func verify(
        _ statement: borrowing Statement, _ bound: EffectRef,
        isInOrder: (EffectRef, EffectRef) -> Bool
    ) throws(StoreError) -> EffectRef? {
        defer { statement.reset() }
        var first: EffectRef?
        var last = bound
        while try statement.row() {
            let ref = try EffectTable.sound(statement)
            guard isInOrder(last, ref) else { throw EffectTable.outOfOrder(ref) }
            first = first ?? ref
            last = ref
        }
        return first
    }

    private static func outOfOrder(_ ref: EffectRef) -> StoreError {
        .corrupt("effect \(ref.number) of instance \(ref.instance.value) is out of its order")
    }

    /// Calls `body` for every effect in order, or with its row's error.
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

    /// Returns the effects for handlers whose rows don't name their log. Skips damaged rows.
    func unstamped() throws(SQLiteFailure) -> [EffectRef] {
        try collect { $0.body.log == nil && $0.isForHandler ? $0.ref : nil }
    }

    /// Returns the entries of `attention` for all effects that have failed or ask. Skips damaged
    /// rows.
    func attentions() throws(SQLiteFailure) -> [AttentionEntry] {
        try collect { AttentionEntry($0) }
    }

    /// Returns the results of `pick` for all rows but damaged ones.
    private func collect<Value>(
        _ pick: (StoredEffect) -> Value?
    ) throws(SQLiteFailure) -> [Value] {
        defer { all.reset() }
        var found: [Value] = []
        while try all.step() {
            guard (try? EffectTable.sound(all)) != nil, let row = try? EffectTable.decode(all),
                let value = pick(row)
            else { continue }
            found.append(value)
        }
        return found
    }

    private static func ref(_ statement: borrowing Statement) -> EffectRef {
        EffectRef(instance: InstanceNumber(statement.integer(0)), number: statement.integer(1))
    }

    /// Verifies the current row's checksum and types, and returns its ref. The same bytes as a blob
    /// would be another value to SQLite.
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
                "effect \(ref.number) of instance \(ref.instance.value) does not match its checksum"
            )
        }
        return ref
    }

    private static func decode(
        _ statement: borrowing Statement
    ) throws(StoreError) -> StoredEffect {
        let due = statement.type(2) == SQLITE_NULL ? nil : statement.integer(2)
        return try StoredEffect(
            ref: ref(statement), due: due.map { Timestamp(milliseconds: $0) },
            handlerQueue: statement.type(3) == SQLITE_NULL ? nil : statement.text(3),
            decoding: statement.bytes(4))
    }
}
