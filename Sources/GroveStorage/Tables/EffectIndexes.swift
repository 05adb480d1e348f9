import CSQLite
import GroveEngine

/// The SQL of the two indexes of `effects`: what is due, and what waits for a handler.
///
/// An entry of an index has no checksum of its own. So each one that is passed is compared with
/// its row, which has one. A damaged entry leads a search astray, or ends a page too early, but
/// only at the place where it is: so the entries before and behind a page are compared as well.
final class EffectIndexes {
    private let rows: EffectTable
    private let byDue: Statement
    private let inLane: Statement
    private let laneBefore: Statement
    private let laneAfter: Statement

    /// One entry of the index of handlers: a handler's name and one effect that waits for it.
    private struct LanePlace {
        var lane: String
        var ref: EffectRef

        /// Before every effect of a handler, and of the instance and all behind it.
        static func start(
            of lane: String, from number: InstanceNumber = InstanceNumber(.min)
        ) -> LanePlace {
            LanePlace(lane: lane, ref: EffectRef(number: number, run: .min))
        }

        /// Behind every effect of a handler.
        static func end(of lane: String) -> LanePlace {
            LanePlace(lane: lane, ref: EffectRef(number: InstanceNumber(.max), run: .max))
        }
    }

    init(_ connection: SQLiteConnection, rows: EffectTable) throws(SQLiteFailure) {
        self.rows = rows
        byDue = try connection.prepare(
            """
            SELECT due, number, run FROM effects INDEXED BY effects_due
            WHERE due IS NOT NULL ORDER BY due, number, run
            """)
        // Not by run: see EffectTable.
        inLane = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane = ?1 AND number >= ?2 ORDER BY number, run
            """)
        laneBefore = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane IS NOT NULL AND (lane, number, run) < (?1, ?2, ?3)
            ORDER BY lane DESC, number DESC, run DESC LIMIT 1
            """)
        laneAfter = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane IS NOT NULL AND (lane, number, run) > (?1, ?2, ?3)
            ORDER BY lane, number, run LIMIT 1
            """)
    }

    // MARK: Times

    /// Up to `limit` effects that are due, the earliest first, then by their ref.
    ///
    /// - Throws: `.corrupt` when one of them, or the one behind them, is damaged.
    func due(at now: Timestamp, limit: Int) throws(StoreError) -> [EffectRef] {
        defer { byDue.reset() }
        var found: [EffectRef] = []
        var last: (Int64, EffectRef)?
        while found.count < limit, try byDue.row() {
            let entry = try dueEntry()
            if let last, entry <= last { throw EffectIndexes.outOfOrder(entry.ref) }
            last = entry
            guard entry.due <= now.milliseconds else { break }
            found.append(entry.ref)
        }
        return found
    }

    /// When the next effect is due, or `nil`.
    ///
    /// - Throws: `.corrupt` when that one is damaged.
    func nextDue() throws(StoreError) -> Timestamp? {
        defer { byDue.reset() }
        guard try byDue.row() else { return nil }
        return Timestamp(milliseconds: try dueEntry().due)
    }

    /// The present entry of the index of times, compared with its row.
    private func dueEntry() throws(StoreError) -> (due: Int64, ref: EffectRef) {
        let isInteger = byDue.type(0) == SQLITE_INTEGER
        let (due, ref) = (byDue.integer(0), EffectIndexes.ref(byDue))
        guard isInteger, let keys = try rows.keys(of: ref), keys.due == due else {
            throw .corrupt(
                "effect \(ref.run) of instance \(ref.number.value) is not due as indexed")
        }
        return (due, ref)
    }

    // MARK: Handlers

    /// Up to `limit` effects that wait for a handler, in the order of their refs, behind `place`.
    ///
    /// - Throws: `.corrupt` when one of them, or one beside them, is damaged.
    func effects(
        inLane lane: String, after place: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        guard limit > 0 else { return [] }
        var last = LanePlace.start(of: lane, from: place?.number ?? InstanceNumber(.min))
        _ = try entry(laneBefore, last)
        do { try inLane.bind(1, copy: lane) } catch { throw error.storeError }
        inLane.bind(2, last.ref.number.value)
        defer { inLane.reset() }
        var found: [EffectRef] = []
        while try inLane.row() {
            let ref = try laneEntry(inLane).ref
            guard ref > last.ref else { throw EffectIndexes.outOfOrder(ref) }
            last.ref = ref
            if let place, ref <= place { continue }
            found.append(ref)
            if found.count == limit { return found }
        }
        _ = try entry(laneAfter, last)
        return found
    }

    /// The names of all handlers that effects wait for, in the order of their bytes.
    ///
    /// - Throws: `.corrupt` when an entry at the start or end of one is damaged.
    func lanes() throws(StoreError) -> [String] {
        var found: [String] = []
        var place = LanePlace.start(of: "")
        while let next = try entry(laneAfter, place) {
            found.append(next.lane)
            place = .end(of: next.lane)
            _ = try entry(laneBefore, place)
        }
        return found
    }

    /// The one entry before or behind a place, compared with its row; `nil` when there is none.
    private func entry(
        _ statement: borrowing Statement, _ place: LanePlace
    ) throws(StoreError) -> LanePlace? {
        do { try statement.bind(1, copy: place.lane) } catch { throw error.storeError }
        statement.bind(2, place.ref.number.value)
        statement.bind(3, place.ref.run)
        defer { statement.reset() }
        return try statement.row() ? try laneEntry(statement) : nil
    }

    /// The present entry of the index of handlers, compared with its row.
    private func laneEntry(
        _ statement: borrowing Statement
    ) throws(StoreError) -> LanePlace {
        let ref = EffectIndexes.ref(statement)
        guard statement.type(0) == SQLITE_TEXT, let lane = try rows.keys(of: ref)?.lane,
            statement.bytes(0).elementsEqual(lane)
        else {
            throw .corrupt(
                "effect \(ref.run) of instance \(ref.number.value) does not wait as indexed")
        }
        return LanePlace(lane: statement.text(0), ref: ref)
    }

    private static func ref(_ statement: borrowing Statement) -> EffectRef {
        EffectRef(number: InstanceNumber(statement.integer(1)), run: statement.integer(2))
    }

    private static func outOfOrder(_ ref: EffectRef) -> StoreError {
        .corrupt(
            "effect \(ref.run) of instance \(ref.number.value) is out of its order in an index")
    }
}
