import CSQLite
import GroveEngine

/// The SQL of the two indexes of `effects`: what is due, and what waits for a handler.
///
/// An entry of an index has no checksum of its own. So each one that is passed is compared with
/// its row, which has one. A damaged entry leads a search astray, or ends a page too early, but
/// only at the place where it is: so the entries before and behind a page are compared as well.
/// What is gone because a page's own list of entries is damaged is seen by the full check only.
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

    /// One entry of the index of times.
    private struct DuePlace {
        var due: Int64
        var ref: EffectRef

        static func < (left: DuePlace, right: DuePlace) -> Bool {
            (left.due, left.ref) < (right.due, right.ref)
        }
    }

    /// One entry of the index of handlers: a handler's name and an effect that waits for it.
    private struct LanePlace {
        var lane: String
        var ref: EffectRef

        /// Before every effect of a handler that is of the instance or one behind it.
        static func start(
            of lane: String, from number: InstanceNumber = InstanceNumber(.min)
        ) -> LanePlace {
            LanePlace(lane: lane, ref: EffectRef(number: number, run: .min))
        }

        /// By the bytes of the name, then by the ref.
        static func < (left: LanePlace, right: LanePlace) -> Bool {
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
        // Not by run, or by all three: see EffectTable.
        inLane = try connection.prepare(
            """
            SELECT lane, number, run FROM effects INDEXED BY effects_lane
            WHERE lane = ?1 AND number >= ?2 ORDER BY number, run
            """)
        // Of one instance, by one column again.
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

    /// Up to `limit` effects that are due, the earliest first, then by their ref.
    ///
    /// - Throws: `.corrupt` when one of them, or one behind them, is damaged.
    func due(at now: Timestamp, limit: Int) throws(StoreError) -> [EffectRef] {
        try earliest(until: now.milliseconds, limit: limit).map(\.ref)
    }

    /// When the next effect is due, or `nil`.
    ///
    /// - Throws: `.corrupt` when that one, or the one behind it, is damaged.
    func nextDue() throws(StoreError) -> Timestamp? {
        try earliest(until: .max, limit: 1).first.map { Timestamp(milliseconds: $0.due) }
    }

    private func earliest(until now: Int64, limit: Int) throws(StoreError) -> [DuePlace] {
        defer { byDue.reset() }
        var found: [DuePlace] = []
        guard limit > 0 else { return found }
        var last: DuePlace?
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

    /// Hands over the entries of the index of times in their order, with what is wrong with them,
    /// until the answer is `false`.
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

    /// Hands over the entries of a handler from an instance on, and whether they are sound, until
    /// the answer is `false`.
    func forEach(
        inLane lane: String, from number: InstanceNumber?, _ body: (EffectRef, Bool) -> Bool
    ) throws(StoreError) {
        try bind(inLane, lane)
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

    /// The present entry of the index of times, compared with its row.
    private func dueEntry() throws(StoreError) -> DuePlace {
        let isInteger = byDue.type(0) == SQLITE_INTEGER
        let entry = DuePlace(due: byDue.integer(0), ref: EffectIndexes.ref(byDue))
        guard isInteger, let keys = try rows.keys(of: entry.ref), keys.due == entry.due else {
            throw .corrupt(
                "effect \(entry.ref.run) of instance \(entry.ref.number.value) is not due as "
                    + "indexed")
        }
        return entry
    }

    // MARK: Handlers

    /// Up to `limit` effects that wait for a handler, in the order of their refs, behind `place`.
    ///
    /// - Throws: `.corrupt` when one of them, or one beside them, is damaged.
    func effects(
        inLane lane: String, after place: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        guard limit > 0 else { return [] }
        try bind(laneBefore, lane)
        _ = try nearest(laneBefore, before: .start(of: lane))
        var found: [EffectRef] = []
        var last = LanePlace.start(of: lane)
        var number = InstanceNumber(.min)
        if let place {
            last = LanePlace(lane: lane, ref: place)
            try search(lane, ofOneAfter: place, &last, &found, limit: limit)
            // Everything of the instances behind it, if there are any.
            number = InstanceNumber(place.number.value &+ 1)
        }
        if found.count < limit, place.map({ number > $0.number }) ?? true {
            try search(lane, from: number, &last, &found, limit: limit)
        }
        try bind(laneAfter, lane)
        laneAfter.bind(2, last.ref.number.value)
        laneAfter.bind(3, last.ref.run)
        _ = try nearest(laneAfter, behind: last)
        return found
    }

    /// What one instance has behind a place, after a look at what stands before it.
    private func search(
        _ lane: String, ofOneAfter place: EffectRef, _ last: inout LanePlace,
        _ found: inout [EffectRef], limit: Int
    ) throws(StoreError) {
        try verifyBefore(lane, place.number)
        try bind(inLaneOfOneBefore, lane)
        inLaneOfOneBefore.bind(2, place.number.value)
        inLaneOfOneBefore.bind(3, place.run)
        _ = try nearest(inLaneOfOneBefore, last) { !($0 < $1) }
        try bind(inLaneOfOne, lane)
        inLaneOfOne.bind(2, place.number.value)
        inLaneOfOne.bind(3, place.run)
        try collect(inLaneOfOne, &last, &found, limit: limit)
    }

    /// Everything from an instance's first one on. What stands right before that must have been
    /// passed.
    private func search(
        _ lane: String, from number: InstanceNumber, _ last: inout LanePlace,
        _ found: inout [EffectRef], limit: Int
    ) throws(StoreError) {
        let edge = try verifyBefore(lane, number)
        if let edge, last < edge { throw EffectIndexes.outOfOrder(edge.ref) }
        try bind(inLane, lane)
        inLane.bind(2, number.value)
        try collect(inLane, &last, &found, limit: limit)
    }

    /// Looks at what a handler has of the instances before one; what stands right before it.
    @discardableResult
    private func verifyBefore(
        _ lane: String, _ number: InstanceNumber
    ) throws(StoreError) -> LanePlace? {
        try bind(inLaneBefore, lane)
        inLaneBefore.bind(2, number.value)
        return try nearest(inLaneBefore, before: .start(of: lane, from: number))
    }

    /// Takes the entries that a statement answers with, which must follow `last`.
    private func collect(
        _ statement: borrowing Statement, _ last: inout LanePlace, _ found: inout [EffectRef],
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

    /// The names of all handlers that effects wait for, in the order of their bytes.
    ///
    /// - Throws: `.corrupt` when an entry at the start or end of one is damaged.
    func lanes() throws(StoreError) -> [String] {
        var found: [String] = []
        var start = LanePlace.start(of: "")
        while true {
            try bind(laneBefore, start.lane)
            _ = try nearest(laneBefore, before: start)
            try bind(laneFrom, start.lane)
            guard let next = try nearest(laneFrom, behind: start) else { return found }
            found.append(next.lane)
            // No text is between one and the same with a zero byte behind it.
            start = .start(of: next.lane + "\u{0}")
        }
    }

    /// The names that the index has, whether they are sound or not.
    func indexedLanes() throws(StoreError) -> [String] {
        var found: [String] = []
        var start = ""
        while true {
            try bind(laneFrom, start)
            defer { laneFrom.reset() }
            guard try laneFrom.row() else { return found }
            let lane = laneFrom.text(0)
            // Damaged names may be out of their order, and would go round for ever.
            guard found.last.map({ $0.utf8.lexicographicallyPrecedes(lane.utf8) }) ?? true else {
                return found
            }
            found.append(lane)
            start = lane + "\u{0}"
        }
    }

    private func bind(
        _ statement: borrowing Statement, _ lane: String
    ) throws(StoreError) {
        do { try statement.bind(1, copy: lane) } catch { throw error.storeError }
    }

    /// The first entry that a statement answers with, `nil` for none. Compares all of them with
    /// their rows, and their order.
    private func nearest(
        _ statement: borrowing Statement, before end: LanePlace
    ) throws(StoreError) -> LanePlace? {
        try nearest(statement, end) { $1 < $0 }
    }

    private func nearest(
        _ statement: borrowing Statement, behind start: LanePlace
    ) throws(StoreError) -> LanePlace? {
        try nearest(statement, start) { $0 < $1 }
    }

    private func nearest(
        _ statement: borrowing Statement, _ place: LanePlace,
        isInOrder: (LanePlace, LanePlace) -> Bool
    ) throws(StoreError) -> LanePlace? {
        defer { statement.reset() }
        var first: LanePlace?
        var last = place
        while try statement.row() {
            let entry = try laneEntry(statement)
            guard isInOrder(last, entry) else { throw EffectIndexes.outOfOrder(entry.ref) }
            first = first ?? entry
            last = entry
        }
        return first
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
