import GroveEngine

/// The end of the journal, from which rows that lack it are made again: after a crash, in a copy,
/// and for an inspection. Runs no code of machines and writes nothing.
///
/// Opening a file reads these steps and verifies their chain, some tenths of a second at most. The
/// rows are read and made bucket by bucket: when one is needed, with commits, and in turns.
final class JournalRedo {
    /// The steps of instances after the redo point.
    let steps: Int64

    /// The bytes of these steps.
    let journalBytes: Int64

    /// The instances with numbers higher than `lastNumber`, the parameter of the initializer.
    let created: Set<InstanceNumber>

    /// Weak, because the store must release its statements when it closes.
    private weak var tables: Tables?

    /// The blocks after the redo point, in order.
    private let blocks: [JournalBlock]
    /// The bytes of steps before each block, from the redo point on.
    private let starts: [Int64]
    /// The steps of each bucket that isn't made yet, in the order of the journal.
    private var places: [RowBucket.ID: [Place]]

    /// The buckets that aren't made yet and have steps that change effects.
    private(set) var bucketsWithEffects: Set<RowBucket.ID>

    /// A step after the redo point.
    private struct Place {
        var number: InstanceNumber
        var sequence: JournalPosition
        var block: Int
        var hasDedup: Bool
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

    /// Reads the journal after the redo point.
    ///
    /// - Parameters:
    ///   - point: The redo point of the file.
    ///   - first: The journal's oldest position.
    ///   - head: Its newest one.
    ///   - lastNumber: The last instance number in `meta`.
    /// - Throws: `.corrupt` when the end of the journal is damaged, or the point is after it.
    init(
        after point: RedoPoint, first: JournalPosition, head: JournalPosition, lastNumber: Int64,
        _ tables: Tables
    ) throws(StoreError) {
        guard point.step >= 0, point.step <= head else {
            throw .corrupt("table redo names step \(point.step), and the journal ends with \(head)")
        }
        self.tables = tables
        let start = max(point.step + 1, first)
        let blocks = try Self.readBlocks(from: start, to: head, tables)
        var starts: [Int64] = []
        var bytes: Int64 = 0
        var steps: Int64 = 0
        var places: [RowBucket.ID: [Place]] = [:]
        var created: Set<InstanceNumber> = []
        var withEffects: Set<RowBucket.ID> = []
        for (index, block) in blocks.enumerated() {
            starts.append(bytes)
            bytes += Int64(block.bytes.count)
            for sequence in max(start, block.first)..<block.end {
                let range = block.steps[Int(sequence - block.first)]
                let step = try block.bytes.read(range) { bytes throws(StoreError) in
                    try JournalHeading.instance(decoding: bytes)
                }
                guard let (number, changesEffects, hasDedup) = step else { continue }
                steps += 1
                if changesEffects { withEffects.insert(RowBucket.id(of: number.value)) }
                if number.value > lastNumber { created.insert(number) }
                places[RowBucket.id(of: number.value), default: []].append(
                    Place(
                        number: number, sequence: sequence, block: index, hasDedup: hasDedup))
            }
        }
        self.blocks = blocks
        self.starts = starts
        self.places = places
        self.steps = steps
        self.created = created
        bucketsWithEffects = withEffects
        journalBytes = bytes
    }

    /// Reads the blocks and verifies their chain.
    private static func readBlocks(
        from start: JournalPosition, to head: JournalPosition, _ tables: Tables
    ) throws(StoreError) -> [JournalBlock] {
        var blocks: [JournalBlock] = []
        var next = start
        while next <= head {
            guard let block = try tables.journal.block(atOrBefore: next), next < block.end else {
                throw .corrupt("journal step \(next) is missing")
            }
            if let previous = blocks.last { try block.verify(follows: previous) }
            blocks.append(block)
            next = block.end
        }
        return blocks
    }

    /// Whether all rows are made.
    var isEmpty: Bool { places.isEmpty }

    /// The buckets that aren't made yet, oldest first, and the steps of each.
    var buckets: [(bucket: RowBucket, steps: Int)] {
        places.compactMap { id, places in
            guard let oldest = places.first else { return nil }
            return (RowBucket(id: id, since: point(before: oldest)), places.count)
        }.sorted { $0.bucket.since.step < $1.bucket.since.step }
    }

    private func point(before place: Place) -> RedoPoint {
        RedoPoint(step: place.sequence - 1, byte: starts[place.block])
    }

    /// Makes the rows of a bucket, once, and calls `body` for each instance.
    ///
    /// A row that doesn't match its checksum is passed over: reading that instance fails, as it
    /// would without a redo.
    ///
    /// - Throws: `.corrupt` when a step or an entry of `garbage` is damaged; `.inputOutput`.
    func make(_ id: RowBucket.ID, _ body: (Rows) -> Void) throws(StoreError) {
        guard var places = places[id] else { return }
        guard let tables else { throw .inputOutput("the store is closed") }
        places.sort { ($0.number, $0.sequence) < ($1.number, $1.sequence) }
        let groups = Self.groups(places)
        // To pass over a row takes an eighth of the time of a search.
        if let first = places.first, let last = places.last,
            last.number.value - first.number.value < 8 * Int64(groups.count)
        {
            try make(groups, in: first.number...last.number, tables, body)
        } else {
            for group in groups {
                let number = places[group.startIndex].number
                try make([group], in: number...number, tables, body)
            }
        }
        self.places[id] = nil
        bucketsWithEffects.remove(id)
    }

    /// The steps of each instance.
    private static func groups(_ places: [Place]) -> [ArraySlice<Place>] {
        var groups: [ArraySlice<Place>] = []
        var from = 0
        while from < places.count {
            var end = from + 1
            while end < places.count, places[end].number == places[from].number { end += 1 }
            groups.append(places[from..<end])
            from = end
        }
        return groups
    }

    /// Makes the rows of some instances with one search for most of those that are there.
    private func make(
        _ groups: [ArraySlice<Place>], in numbers: ClosedRange<InstanceNumber>, _ tables: Tables,
        _ body: (Rows) -> Void
    ) throws(StoreError) {
        var rest = groups[...]
        try tables.instances.forEachSmall(in: numbers) { row throws(StoreError) in
            while let group = rest.first, let place = group.first, place.number < row.number {
                rest.removeFirst()
                body(try redo(group, from: try foundAlone(place.number, tables), tables))
            }
            guard let group = rest.first, let newest = group.last, newest.number == row.number
            else { return }
            rest.removeFirst()
            // Most rows have all steps, because a bucket waits for the first step that one lacks.
            if row.holds(newest.sequence), !group.contains(where: \.hasDedup) { return }
            let found = try Self.found { () throws(StoreError) in try row.instance() }
            body(try redo(group, from: found, tables))
        }
        for group in rest {
            guard let place = group.first else { continue }
            body(try redo(group, from: try foundAlone(place.number, tables), tables))
        }
    }

    /// What a search for an instance has found.
    private enum Found {
        case instance(StoredInstance)
        case nothing
        case damaged
    }

    /// Searches for an instance that a search for several has passed over.
    private func foundAlone(
        _ number: InstanceNumber, _ tables: Tables
    ) throws(StoreError) -> Found {
        try Self.found { () throws(StoreError) in try tables.instances.find(number) }
    }

    private static func found(
        _ find: () throws(StoreError) -> StoredInstance?
    ) throws(StoreError) -> Found {
        do throws(StoreError) { return try find().map { .instance($0) } ?? .nothing } catch {
            guard case .corrupt = error else { throw error }
            return .damaged
        }
    }

    /// Redoes the steps of one instance.
    private func redo(
        _ places: ArraySlice<Place>, from found: Found, _ tables: Tables
    ) throws(StoreError) -> Rows {
        let number = places[places.startIndex].number
        var rows = Rows(number: number)
        var instance: StoredInstance?
        switch found {
        case .instance(let row): instance = row
        case .damaged: break
        case .nothing:
            if try !tables.garbage.holds(number) {
                rows.failure = .corrupt(
                    "instance \(number.value), which has journal steps, has no row")
            }
            return rows
        }
        let newest = instance?.newest ?? 0
        var effects: [EffectRef: JournaledEffects.EncodedChange] = [:]
        for place in places {
            let isLacked = instance != nil && place.sequence > newest
            guard isLacked || place.hasDedup else { continue }
            let record = try blocks[place.block].record(at: place.sequence, isForRedo: true)
            let dedup = try Self.dedup(of: record, isLacked: isLacked, tables)
            if let dedup { rows.dedups.append(dedup) }
            if rows.since == nil, isLacked || dedup != nil { rows.since = point(before: place) }
            guard isLacked else { continue }
            do throws(StoreError) {
                for change in try instance?.redo(record)?.encoded ?? [] {
                    effects[change.ref] = change.isRemoval ? nil : change
                }
            } catch {
                rows.failure = error
                return rows
            }
        }
        guard let instance, instance.newest > newest else { return rows }
        rows.instance = instance
        do throws(StoreError) {
            for change in effects.values.sorted(by: { $0.ref < $1.ref }) {
                if let row = try change.row(of: instance.name.text) { rows.effects.append(row) }
            }
        } catch { rows.failure = error }
        return rows
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
