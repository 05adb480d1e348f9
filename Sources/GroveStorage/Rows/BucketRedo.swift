import GroveEngine

/// The redo of one bucket's rows. It may take several turns, because one instance may have made all
/// the steps after the redo point. Nothing else may change the rows meanwhile.
struct BucketRedo {
    /// A step after the redo point.
    struct Place {
        let sequence: JournalPosition
        private let blockIndex: UInt32
        /// The last bits of the instance's number.
        fileprivate let slot: UInt8
        let hasDedup: Bool

        init(_ number: InstanceNumber, sequence: JournalPosition, block: Int, hasDedup: Bool) {
            self.sequence = sequence
            blockIndex = UInt32(block)
            slot = UInt8(number.value & (1 << StoreLimits.bucketBits - 1))
            self.hasDedup = hasDedup
        }

        var block: Int { Int(blockIndex) }
    }

    /// What rows are made from.
    struct Source {
        let blocks: [JournalBlock]
        /// The bytes of steps before each block, from the redo point on.
        let starts: [Int64]
        let tables: Tables

        func point(before place: Place) -> RedoPoint {
            RedoPoint(step: place.sequence - 1, byte: starts[place.block])
        }
    }

    /// The rows of one instance.
    struct Rows {
        var number: InstanceNumber
        /// The instance; `nil` if its row isn't behind, or is damaged.
        var instance: StoredInstance?
        /// The dedup records that have no row.
        var dedups: [WriteSet.DedupWrite] = []
        /// The point before the first step that a row lacks; `nil` if none does.
        var since: RedoPoint?
        /// Its effects that have no row, in the order of their numbers.
        var effects: [StoredEffect] = []
        /// The reason why its row can't be made: it is neither there nor deleted, or a step doesn't
        /// follow it.
        var failure: StoreError?
    }

    /// The steps of one instance, in the order of the journal.
    private struct Group {
        let number: InstanceNumber
        let places: ArraySlice<Place>
        let hasDedup: Bool

        /// Whether a row that holds all steps up to `newest` lacks nothing of them.
        func isHeld(upTo newest: JournalPosition) -> Bool {
            !hasDedup && (places.last?.sequence ?? 0) <= newest
        }
    }

    /// The instances that aren't begun, in the order of their numbers.
    private var groups: ArraySlice<Group>

    /// The instance that is begun.
    private var fold: Fold?

    /// The rows that are made, but for those of instances that lack none.
    private(set) var made: [Rows] = []

    /// - Parameter places: Its steps, in the order of the journal.
    init(_ id: RowBucket.ID, _ places: [Place]) {
        groups = Self.groups(places, of: id)[...]
    }

    /// The steps of each instance.
    private static func groups(_ places: [Place], of id: RowBucket.ID) -> [Group] {
        var lists: [[Place]] = []
        if let slot = places.first?.slot, places.allSatisfy({ $0.slot == slot }) {
            lists = [places]
        } else {
            lists = Array(repeating: [], count: 1 << StoreLimits.bucketBits)
            for place in places { lists[Int(place.slot)].append(place) }
        }
        return lists.compactMap { list in
            list.first.map { first in
                Group(
                    number: InstanceNumber(id << StoreLimits.bucketBits | Int64(first.slot)),
                    places: list[...], hasDedup: list.contains(where: \.hasDedup))
            }
        }
    }

    /// Makes rows from about as many steps as there is room for.
    ///
    /// - Parameter room: Becomes smaller by the number of steps.
    /// - Returns: Whether all rows are made.
    /// - Throws: `.corrupt` when a step or an entry of `garbage` is damaged; `.inputOutput`. The
    ///   next call begins with the same step.
    mutating func advance(_ source: Source, room: inout Int) throws(StoreError) -> Bool {
        while room > 0 {
            if fold != nil {
                try advanceFold(source, room: &room)
            } else if let group = groups.first {
                if group.places.count <= room {
                    try makeSmall(source, room: &room)
                } else {
                    try beginFold(of: group, source)
                    room -= 1
                }
            } else {
                return true
            }
        }
        return fold == nil && groups.isEmpty
    }

    // MARK: Instances with many steps

    private mutating func beginFold(of group: Group, _ source: Source) throws(StoreError) {
        let found = try source.find(group.number)
        if case .instance(let row) = found, group.isHeld(upTo: row.newest) {
            groups.removeFirst()
        } else {
            fold = try Fold(group, from: found, source)
            groups.removeFirst()
        }
    }

    private mutating func advanceFold(
        _ source: Source, room: inout Int
    ) throws(StoreError) {
        guard try fold?.advance(source, room: &room) == true else { return }
        if let rows = fold?.rows { made.append(rows) }
        fold = nil
    }

    // MARK: Instances with few steps

    /// Makes the rows of the first instances whose steps there is room for.
    private mutating func makeSmall(_ source: Source, room: inout Int) throws(StoreError) {
        var steps = 0
        let small = groups.prefix {
            steps += $0.places.count
            return steps <= room
        }
        guard let first = small.first, let last = small.last else { return }
        // To pass over a row takes an eighth of the time of a search.
        if last.number.value - first.number.value < 8 * Int64(small.count) {
            made += try Self.rows(of: small, source)
        } else {
            var rows: [Rows] = []
            for index in small.indices {
                rows += try Self.rows(of: small[index...index], source)
            }
            made += rows
        }
        groups.removeFirst(small.count)
        room -= small.reduce(0) { $0 + $1.places.count }
    }

    /// Makes the rows of some instances with one search for most of those that are there.
    private static func rows(
        of groups: ArraySlice<Group>, _ source: Source
    ) throws(StoreError) -> [Rows] {
        guard let first = groups.first, let last = groups.last else { return [] }
        var made: [Rows] = []
        var rest = groups
        let numbers = first.number...last.number
        try source.tables.instances.forEachSmall(in: numbers) { row throws(StoreError) in
            while let group = rest.first, group.number < row.number {
                rest.removeFirst()
                made.append(try rows(of: group, from: try source.find(group.number), source))
            }
            guard let group = rest.first, group.number == row.number else { return }
            rest.removeFirst()
            // Most rows have all steps, because a bucket waits for the first step that one lacks.
            if let newest = group.places.last, !group.hasDedup, row.holds(newest.sequence) {
                return
            }
            let found = try Source.found { () throws(StoreError) in try row.instance() }
            made.append(try rows(of: group, from: found, source))
        }
        for group in rest {
            made.append(try rows(of: group, from: try source.find(group.number), source))
        }
        return made
    }

    private static func rows(
        of group: Group, from found: Source.Found, _ source: Source
    ) throws(StoreError) -> Rows {
        var fold = try Fold(group, from: found, source)
        var room = Int.max
        _ = try fold.advance(source, room: &room)
        return fold.rows
    }
}

extension BucketRedo.Source {
    /// What a search for an instance has found.
    fileprivate enum Found {
        case instance(StoredInstance)
        case nothing
        case damaged
    }

    fileprivate func find(_ number: InstanceNumber) throws(StoreError) -> Found {
        try Self.found { () throws(StoreError) in try tables.instances.find(number) }
    }

    fileprivate static func found(
        _ find: () throws(StoreError) -> StoredInstance?
    ) throws(StoreError) -> Found {
        do throws(StoreError) { return try find().map { .instance($0) } ?? .nothing } catch {
            guard case .corrupt = error else { throw error }
            return .damaged
        }
    }
}

extension BucketRedo {
    /// The redo of one instance's steps.
    private struct Fold {
        /// Complete once all steps are redone.
        private(set) var rows: Rows

        /// The row in its table, with the steps that were redone; `nil` if there is none.
        private var instance: StoredInstance?

        /// The newest step that the row in its table has.
        private let newest: JournalPosition

        private var effects: [EffectRef: JournaledEffects.EncodedChange] = [:]

        /// The steps to come.
        private var left: ArraySlice<Place>

        init(
            _ group: Group, from found: Source.Found, _ source: Source
        ) throws(StoreError) {
            rows = Rows(number: group.number)
            left = group.places
            switch found {
            case .instance(let row): instance = row
            case .damaged: break
            case .nothing:
                left = []
                if try !source.tables.garbage.holds(group.number) {
                    rows.failure = .corrupt(
                        "instance \(group.number.value), which has journal steps, has no row")
                }
            }
            newest = instance?.newest ?? 0
            if !group.hasDedup {
                let held = newest
                left = left.drop { $0.sequence <= held }
            }
        }

        /// Redoes as many steps as there is room for. Returns whether it was the last of them.
        mutating func advance(
            _ source: Source, room: inout Int
        ) throws(StoreError) -> Bool {
            while rows.failure == nil, let place = left.first {
                guard room > 0 else { return false }
                try redo(place, source)
                left.removeFirst()
                room -= 1
            }
            end()
            return true
        }

        private mutating func redo(_ place: Place, _ source: Source) throws(StoreError) {
            let isLacked = instance != nil && place.sequence > newest
            guard isLacked || place.hasDedup else { return }
            let block = source.blocks[place.block]
            let record = try block.record(at: place.sequence, isForRedo: true)
            let dedup = try Self.dedup(of: record, isLacked: isLacked, source.tables)
            if let dedup { rows.dedups.append(dedup) }
            if rows.since == nil, isLacked || dedup != nil {
                rows.since = source.point(before: place)
            }
            guard isLacked else { return }
            do throws(StoreError) {
                for change in try instance?.redo(record)?.encoded ?? [] {
                    effects[change.ref] = change.isRemoval ? nil : change
                }
            } catch { rows.failure = error }
        }

        private mutating func end() {
            guard rows.failure == nil, let instance, instance.newest > newest else { return }
            rows.instance = instance
            do throws(StoreError) {
                for change in effects.values.sorted(by: { $0.ref < $1.ref }) {
                    let row = try change.row(of: instance.name.text)
                    if let row { rows.effects.append(row) }
                }
            } catch { rows.failure = error }
        }

        /// The dedup record of a step, unless it has its row. One that is damaged is written again.
        ///
        /// - Parameter isLacked: Whether the row of the instance lacks the step, and so it all.
        private static func dedup(
            of record: JournalRecord, isLacked: Bool, _ tables: Tables
        ) throws(StoreError) -> WriteSet.DedupWrite? {
            guard let key = record.dedup, let entry = record.dedupEntry else { return nil }
            let write = WriteSet.DedupWrite(number: record.number, key: key, entry: entry)
            if isLacked { return write }
            do throws(StoreError) {
                return try tables.dedup.holds(entry, record.number, key) ? nil : write
            } catch {
                guard case .corrupt = error else { throw error }
                return write
            }
        }
    }
}
