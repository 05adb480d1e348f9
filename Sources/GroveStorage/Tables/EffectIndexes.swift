import CSQLite
import GroveEngine

/// The SQL of the two indexes of `effects`: by due time, and by the handler that they wait for.
///
/// An index entry has no checksum, so a search compares every entry it passes with its row, which
/// has one. A damaged entry misleads a search, or ends a page too early, but only at its position.
/// So the entries before and after a page are compared as well. Only the full check detects an
/// entry that is missing because the list of entries in an SQLite page is damaged.
final class EffectIndexes {
    private let rows: EffectTable
    private let byDue: Statement
    private let inLane: Statement
    private let inLaneOfOne: Statement
    private let inLaneOfOneBefore: Statement
    private let inLaneBefore: Statement
    private let laneBefore: Statement
    private let laneFrom: Statement
    private let laneAfter: Statement

    /// An entry of the index of due times.
    private struct DueEntry {
        var due: Int64
        var ref: EffectRef

        static func < (left: DueEntry, right: DueEntry) -> Bool {
            (left.due, left.ref) < (right.due, right.ref)
        }
    }

    /// An entry of the index of handlers: a handler's name and an effect that waits for it.
    private struct LaneEntry {
        var lane: String
        var ref: EffectRef

        /// The position before a handler's effects of an instance and of all later ones.
        static func start(
            of lane: String, from number: InstanceNumber = InstanceNumber(.min)
        ) -> LaneEntry {
            LaneEntry(lane: lane, ref: EffectRef(instance: number, number: .min))
        }

        /// Orders by the bytes of the name, then by the ref.
        static func < (left: LaneEntry, right: LaneEntry) -> Bool {
            left.lane.utf8.elementsEqual(right.lane.utf8)
                ? left.ref < right.ref
                : left.lane.utf8.lexicographicallyPrecedes(right.lane.utf8)
        }
    }

    init(_ connection: SQLiteConnection, rows: EffectTable) throws(SQLiteFailure) {
        self.rows = rows
        byDue = try connection.prepare(
            """
            SELECT due, number, run FROM effects INDEXED BY effects_due
            WHERE due IS NOT NULL ORDER BY due, number, run
            """)
        // By `number` only, not by `run` too: see EffectTable.
        inLane = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane = ?1 AND number >= ?2 ORDER BY number, run
            """)
        // Within one instance, by one column again.
        inLaneOfOne = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane = ?1 AND number = ?2 AND run > ?3 ORDER BY run
            """)
        inLaneOfOneBefore = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane = ?1 AND number = ?2 AND run <= ?3 ORDER BY run DESC LIMIT 2
            """)
        inLaneBefore = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane = ?1 AND number < ?2 ORDER BY number DESC, run DESC LIMIT 2
            """)
        laneBefore = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane < ?1 ORDER BY lane DESC, number DESC, run DESC LIMIT 2
            """)
        laneFrom = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane >= ?1 ORDER BY lane, number, run LIMIT 2
            """)
        laneAfter = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane IS NOT NULL AND (lane, number, run) > (?1, ?2, ?3)
            ORDER BY lane, number, run LIMIT 2
            """)
    }

    // MARK: Times

    /// Returns up to `limit` effects that are due, the earliest first, then by ref.
    ///
    /// - Throws: `.corrupt` when one of them, or the one after them, is damaged.
    func due(at now: Timestamp, limit: Int) throws(StoreError) -> [EffectRef] {
        try earliest(until: now.milliseconds, limit: limit).map(\.ref)
    }

    /// Returns the time when the next effect is due, or `nil`.
    ///
    /// - Throws: `.corrupt` when that effect, or the one after it, is damaged.
    func nextDue() throws(StoreError) -> Timestamp? {
        try earliest(until: .max, limit: 1).first.map { Timestamp(milliseconds: $0.due) }
    }

    private func earliest(until now: Int64, limit: Int) throws(StoreError) -> [DueEntry] {
        defer { byDue.reset() }
        var found: [DueEntry] = []
        guard limit > 0 else { return found }
        var last: DueEntry?
        var isOver = false
        while try byDue.row() {
            let entry = try dueEntry()
            if let last, !(last < entry) { throw EffectIndexes.outOfOrder(entry.ref) }
            last = entry
            if isOver { break }
            if entry.due <= now { found.append(entry) }
            isOver = entry.due > now || found.count == limit
        }
        return found
    }

    /// Calls `body` for the entries of the index of due times in order, or with their errors, until
    /// it returns `false`.
    func forEachDue(
        _ body: (EffectRef, Result<Timestamp, StoreError>) -> Bool
    ) throws(StoreError) {
        defer { byDue.reset() }
        while try byDue.row() {
            let ref = EffectIndexes.ref(byDue)
            do throws(StoreError) {
                let entry = try dueEntry()
                guard body(ref, .success(Timestamp(milliseconds: entry.due))) else { return }
            } catch {
                guard case .corrupt = error else { throw error }
                guard body(ref, .failure(error)) else { return }
            }
        }
    }

    /// Calls `body` for a handler's entries from an instance on, and with whether they are sound,
    /// until it returns `false`.
    func forEach(
        inHandlerQueue lane: String, from number: InstanceNumber?, _ body: (EffectRef, Bool) -> Bool
    ) throws(StoreError) {
        try inLane.bindKey(lane)
        inLane.bind(2, number?.value ?? .min)
        defer { inLane.reset() }
        while try inLane.row() {
            let ref = EffectIndexes.ref(inLane)
            var isSound = true
            do throws(StoreError) { _ = try laneEntry(inLane) } catch {
                guard case .corrupt = error else { throw error }
                isSound = false
            }
            guard body(ref, isSound) else { return }
        }
    }

    /// Returns the current entry of the index of due times, compared with its row.
    private func dueEntry() throws(StoreError) -> DueEntry {
        let isInteger = byDue.type(0) == SQLITE_INTEGER
        let entry = DueEntry(due: byDue.integer(0), ref: EffectIndexes.ref(byDue))
        guard isInteger, let keys = try rows.keys(of: entry.ref), keys.due == entry.due else {
            throw .corrupt(
                "effect \(entry.ref.number) of instance \(entry.ref.instance.value) is not due as "
                    + "indexed")
        }
        return entry
    }

    // MARK: Handlers

    /// Returns up to `limit` effects after `after` that wait for a handler, in the order of refs.
    ///
    /// - Throws: `.corrupt` when one of them, or a neighbor, is damaged.
    func effects(
        inHandlerQueue lane: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        guard limit > 0 else { return [] }
        try laneBefore.bindKey(lane)
        _ = try nearest(laneBefore, before: .start(of: lane))
        var found: [EffectRef] = []
        var last = LaneEntry.start(of: lane)
        var number = InstanceNumber(.min)
        if let after {
            last = LaneEntry(lane: lane, ref: after)
            try search(lane, ofOneAfter: after, &last, &found, limit: limit)
            // Then all effects of later instances, if there are any.
            number = InstanceNumber(after.instance.value &+ 1)
        }
        if found.count < limit, after.map({ number > $0.instance }) ?? true {
            try search(lane, from: number, &last, &found, limit: limit)
        }
        try laneAfter.bindKey(lane)
        laneAfter.bind(2, last.ref.instance.value)
        laneAfter.bind(3, last.ref.number)
        _ = try nearest(laneAfter, after: last)
        return found
    }

    /// Collects the effects of one instance after a ref. Verifies the entries before it.
    private func search(
        _ lane: String, ofOneAfter ref: EffectRef, _ last: inout LaneEntry,
        _ found: inout [EffectRef], limit: Int
    ) throws(StoreError) {
        try verifyBefore(lane, ref.instance)
        try inLaneOfOneBefore.bindKey(lane)
        inLaneOfOneBefore.bind(2, ref.instance.value)
        inLaneOfOneBefore.bind(3, ref.number)
        _ = try nearest(inLaneOfOneBefore, last) { !($0 < $1) }
        try inLaneOfOne.bindKey(lane)
        inLaneOfOne.bind(2, ref.instance.value)
        inLaneOfOne.bind(3, ref.number)
        try collect(inLaneOfOne, &last, &found, limit: limit)
    }

    /// Collects the effects from an instance's first one on. The entry right before it must already
    /// have been passed.
    private func search(
        _ lane: String, from number: InstanceNumber, _ last: inout LaneEntry,
        _ found: inout [EffectRef], limit: Int
    ) throws(StoreError) {
        let edge = try verifyBefore(lane, number)
        if let edge, last < edge { throw EffectIndexes.outOfOrder(edge.ref) }
        try inLane.bindKey(lane)
        inLane.bind(2, number.value)
        try collect(inLane, &last, &found, limit: limit)
    }

    /// Verifies a handler's entries right before an instance. Returns the last of them.
    @discardableResult
    private func verifyBefore(
        _ lane: String, _ number: InstanceNumber
    ) throws(StoreError) -> LaneEntry? {
        try inLaneBefore.bindKey(lane)
        inLaneBefore.bind(2, number.value)
        return try nearest(inLaneBefore, before: .start(of: lane, from: number))
    }

    /// Collects the entries that a statement returns. They must follow `last`.
    private func collect(
        _ statement: borrowing Statement, _ last: inout LaneEntry, _ found: inout [EffectRef],
        limit: Int
    ) throws(StoreError) {
        defer { statement.reset() }
        while found.count < limit, try statement.row() {
            let entry = try laneEntry(statement)
            guard last < entry else { throw EffectIndexes.outOfOrder(entry.ref) }
            last = entry
            found.append(entry.ref)
        }
    }

    /// Returns the names of all handlers that effects wait for, in the order of their bytes.
    ///
    /// - Throws: `.corrupt` when the first or last entry of a handler is damaged.
    func handlerQueues() throws(StoreError) -> [String] {
        var found: [String] = []
        var start = LaneEntry.start(of: "")
        while true {
            try laneBefore.bindKey(start.lane)
            _ = try nearest(laneBefore, before: start)
            try laneFrom.bindKey(start.lane)
            guard let next = try nearest(laneFrom, after: start) else { return found }
            found.append(next.lane)
            // No text lies between a text and the same text with a zero byte appended.
            start = .start(of: next.lane + "\u{0}")
        }
    }

    /// Returns the names in the index, sound or not.
    func indexedHandlerQueues() throws(StoreError) -> [String] {
        var found: [String] = []
        var start = ""
        while true {
            try laneFrom.bindKey(start)
            defer { laneFrom.reset() }
            guard try laneFrom.row() else { return found }
            let lane = laneFrom.text(0)
            // Damaged names may be out of order, which could loop forever.
            guard found.last.map({ $0.utf8.lexicographicallyPrecedes(lane.utf8) }) ?? true else {
                return found
            }
            found.append(lane)
            start = lane + "\u{0}"
        }
    }

    /// Returns the first entry of a statement's result, or `nil`. Compares all entries with their
    /// rows, and verifies their order.
    private func nearest(
        _ statement: borrowing Statement, before end: LaneEntry
    ) throws(StoreError) -> LaneEntry? {
        try nearest(statement, end) { $1 < $0 }
    }

    private func nearest(
        _ statement: borrowing Statement, after start: LaneEntry
    ) throws(StoreError) -> LaneEntry? {
        try nearest(statement, start) { $0 < $1 }
    }

    private func nearest(
        _ statement: borrowing Statement, _ bound: LaneEntry,
        isInOrder: (LaneEntry, LaneEntry) -> Bool
    ) throws(StoreError) -> LaneEntry? {
        defer { statement.reset() }
        var first: LaneEntry?
        var last = bound
        while try statement.row() {
            let entry = try laneEntry(statement)
            guard isInOrder(last, entry) else { throw EffectIndexes.outOfOrder(entry.ref) }
            first = first ?? entry
            last = entry
        }
        return first
    }

    /// Returns the current entry of the index of handlers, compared with its row.
    private func laneEntry(
        _ statement: borrowing Statement
    ) throws(StoreError) -> LaneEntry {
        let ref = EffectIndexes.ref(statement)
        guard statement.type(0) == SQLITE_TEXT, let lane = try rows.keys(of: ref)?.lane,
            statement.bytes(0).elementsEqual(lane)
        else {
            throw .corrupt(
                "effect \(ref.number) of instance \(ref.instance.value) does not wait as indexed")
        }
        return LaneEntry(lane: statement.text(0), ref: ref)
    }

    private static func ref(_ statement: borrowing Statement) -> EffectRef {
        EffectRef(instance: InstanceNumber(statement.integer(1)), number: statement.integer(2))
    }

    private static func outOfOrder(_ ref: EffectRef) -> StoreError {
        .corrupt(
            "effect \(ref.number) of instance \(ref.instance.value) is out of its order in an index"
        )
    }
}
