import CSQLite
import GroveEngine

/// The SQL of `attention`: one row per effect that has failed or asks.
///
/// An index finds those of a machine in the order of refs. Its entries have no checksum, so each
/// that a search passes is compared with its row, which has one, and so are the entries before and
/// after a page. The number of all is in ``MachineCountTable``.
final class AttentionTable {
    private let insert: Statement
    private let delete: Statement
    private let find: Statement
    private let ofOne: Statement
    private let from: Statement
    private let before: Statement
    private let after: Statement
    private let all: Statement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare(
            "INSERT INTO attention (number, run, machine, kind, crc) VALUES (?1, ?2, ?3, ?4, ?5)")
        delete = try connection.prepare("DELETE FROM attention WHERE number = ?1 AND run = ?2")
        find = try connection.prepare(
            """
            SELECT number, run, machine, kind, crc FROM attention
            WHERE number = ?1 AND run = ?2
            """)
        // By one column only, as in EffectTable.
        ofOne = try connection.prepare(
            """
            SELECT number, run, machine, kind, crc FROM attention INDEXED BY attention_order
            WHERE machine = ?1 AND kind = ?2 AND number = ?3 AND run > ?4 ORDER BY run
            """)
        from = try connection.prepare(
            """
            SELECT number, run, machine, kind, crc FROM attention INDEXED BY attention_order
            WHERE machine = ?1 AND kind = ?2 AND number >= ?3 ORDER BY number, run
            """)
        before = try connection.prepare(
            """
            SELECT number, run, machine, kind, crc FROM attention INDEXED BY attention_order
            WHERE (machine, kind, number, run) <= (?1, ?2, ?3, ?4)
            ORDER BY machine DESC, kind DESC, number DESC, run DESC LIMIT 2
            """)
        after = try connection.prepare(
            """
            SELECT number, run, machine, kind, crc FROM attention INDEXED BY attention_order
            WHERE (machine, kind, number, run) > (?1, ?2, ?3, ?4)
            ORDER BY machine, kind, number, run LIMIT 2
            """)
        all = try connection.prepare(
            "SELECT number, run, machine, kind, crc FROM attention ORDER BY number, run")
    }

    // MARK: Writing

    /// Adds the row of an effect that has none.
    func add(_ entry: AttentionEntry) throws(SQLiteFailure) {
        bind(insert, entry.ref)
        try insert.bind(3, copy: entry.machine)
        insert.bind(4, entry.attention.rawValue)
        insert.bind(5, entry.checksum)
        try insert.run()
    }

    func remove(_ ref: EffectRef) throws(SQLiteFailure) {
        bind(delete, ref)
        try delete.run()
    }

    private func bind(_ statement: borrowing Statement, _ ref: EffectRef) {
        statement.bind(1, ref.instance.value)
        statement.bind(2, ref.number)
    }

    // MARK: Reading

    /// Returns the row of an effect; `nil` if it needs no attention.
    ///
    /// - Throws: `SQLITE_CORRUPT` when the row doesn't match its checksum. A commit that changes
    ///   such an effect would make the counts wrong.
    func entry(of ref: EffectRef) throws(SQLiteFailure) -> AttentionEntry? {
        bind(find, ref)
        defer { find.reset() }
        guard try find.step() else { return nil }
        do throws(StoreError) { return try Self.sound(find) } catch {
            throw .corrupt("the row of effect \(ref.number) in attention is damaged")
        }
    }

    /// Returns up to `limit` effects of a machine after `after`, in the order of refs.
    ///
    /// - Throws: `.corrupt` when one of them, or a neighbor, is damaged.
    func page(
        _ attention: EffectAttention, of machine: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        let start = AttentionEntry(
            machine: machine, attention: attention,
            ref: after ?? EffectRef(instance: InstanceNumber(.min), number: .min))
        try bindPosition(before, start)
        try verify(before, start) { !($0 < $1) }
        var last = start
        var found: [EffectRef] = []
        if let after {
            try bindKey(ofOne, start)
            ofOne.bind(3, after.instance.value)
            ofOne.bind(4, after.number)
            try collect(ofOne, &last, &found, limit: limit)
        }
        if found.count < limit, after?.instance.value != .max {
            try bindKey(from, start)
            from.bind(3, after.map { $0.instance.value + 1 } ?? .min)
            try collect(from, &last, &found, limit: limit)
        }
        try bindPosition(self.after, last)
        try verify(self.after, last) { $0 < $1 }
        return found
    }

    private func bindKey(
        _ statement: borrowing Statement, _ entry: AttentionEntry
    ) throws(StoreError) {
        try statement.bindKey(entry.machine)
        statement.bind(2, entry.attention.rawValue)
    }

    private func bindPosition(
        _ statement: borrowing Statement, _ entry: AttentionEntry
    ) throws(StoreError) {
        try bindKey(statement, entry)
        statement.bind(3, entry.ref.instance.value)
        statement.bind(4, entry.ref.number)
    }

    /// Collects the effects that a statement returns. They must follow `last`.
    private func collect(
        _ statement: borrowing Statement, _ last: inout AttentionEntry,
        _ found: inout [EffectRef], limit: Int
    ) throws(StoreError) {
        defer { statement.reset() }
        while found.count < limit, try statement.row() {
            let entry = try Self.sound(statement)
            guard last < entry, entry.machine == last.machine, entry.attention == last.attention
            else { throw Self.outOfOrder(entry) }
            last = entry
            found.append(entry.ref)
        }
    }

    /// Verifies the rows that a statement returns, and their order.
    private func verify(
        _ statement: borrowing Statement, _ start: AttentionEntry,
        isInOrder: (AttentionEntry, AttentionEntry) -> Bool
    ) throws(StoreError) {
        defer { statement.reset() }
        var last = start
        while try statement.row() {
            let entry = try Self.sound(statement)
            guard isInOrder(last, entry) else { throw Self.outOfOrder(entry) }
            last = entry
        }
    }

    /// Calls `body` for every row in the order of refs, or with its error.
    func forEach(_ body: (Result<AttentionEntry, StoreError>) -> Void) throws(StoreError) {
        defer { all.reset() }
        while try all.row() {
            do throws(StoreError) { body(.success(try Self.sound(all))) } catch {
                body(.failure(error))
            }
        }
    }

    /// Verifies the current row's checksum. In a search by the index, the columns but `crc` are
    /// those of the index.
    private static func sound(
        _ statement: borrowing Statement
    ) throws(StoreError) -> AttentionEntry {
        let ref = EffectRef(
            instance: InstanceNumber(statement.integer(0)), number: statement.integer(1))
        let isText = statement.type(2) == SQLITE_TEXT
        guard isText, let attention = EffectAttention(rawValue: statement.integer(3)) else {
            throw damaged(ref)
        }
        let entry = AttentionEntry(machine: statement.text(2), attention: attention, ref: ref)
        guard Int64(entry.checksum) == statement.integer(4) else { throw damaged(ref) }
        return entry
    }

    private static func damaged(_ ref: EffectRef) -> StoreError {
        .corrupt(
            "the row of effect \(ref.number) of instance \(ref.instance.value) in attention does "
                + "not match its checksum")
    }

    private static func outOfOrder(_ entry: AttentionEntry) -> StoreError {
        .corrupt(
            "effect \(entry.ref.number) of instance \(entry.ref.instance.value) is out of its "
                + "order in attention")
    }
}
