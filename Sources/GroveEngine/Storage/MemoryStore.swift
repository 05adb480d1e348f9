/// A store in memory: the reference for what a store does, and the store of tests. Nothing in it
/// outlives the process.
public final class MemoryStore: Store {
    /// The id of this log.
    public let logID: LogID
    /// The highest instance number ever given.
    public private(set) var lastInstanceNumber = InstanceNumber(0)
    /// The steps that are held; those before them were removed.
    private var steps: [JournalRecord] = []
    private var removed: JournalPosition = 0
    /// The oldest step of machines that have no later floor of their own.
    private var floor: JournalPosition = 1
    private var machineFloors: [String: JournalPosition] = [:]
    private var rows: [String: StoredInstance] = [:]
    private var live: Set<InstanceNumber> = []
    private var dedups: [InstanceNumber: [[UInt8]: DedupEntry]] = [:]
    private var garbage: [WriteSet.Deletion] = []
    private var commits: Int64 = 0
    private var effectRows: [EffectRef: StoredEffect] = [:]

    /// An empty store with a log id of the caller's choice.
    public init(logID: LogID = LogID(high: 0, low: 1)) { self.logID = logID }

    /// The last committed journal step.
    public var head: JournalPosition { removed + JournalPosition(steps.count) }

    /// The oldest journal step that is there.
    public var first: JournalPosition { removed + 1 }

    /// From where on the steps of each machine are held.
    public var floors: JournalFloors { JournalFloors(journal: floor, machines: machineFloors) }

    /// The committed snapshot of one instance.
    public func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        rows[name.text]
    }

    /// Whether the number belongs to an instance that was not deleted.
    public func isLive(_ number: InstanceNumber) throws(StoreError) -> Bool {
        live.contains(number)
    }

    /// A page of instances in the byte order of their names; sorts them all for each page.
    public func instances(
        prefix: String, after: String?, limit: Int
    ) throws(StoreError) -> [StoredInstance] {
        // Names are ASCII, so the order of their text is the order of their bytes.
        rows.values.filter { row in
            row.name.text.utf8.starts(with: prefix.utf8)
                && (after.map { $0.utf8.lexicographicallyPrecedes(row.name.text.utf8) } ?? true)
        }
        .sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
        .prefix(limit).map { $0 }
    }

    /// One journal step.
    public func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        sequence >= first && sequence <= head ? steps[Int(sequence - first)] : nil
    }

    /// A page of journal steps; the bound of bytes is not looked at.
    public func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord] {
        precondition(sequence >= 0 && limit > 0, "a page begins in the journal and has a size")
        guard sequence < head else { return [] }
        return Array(steps[Int(max(sequence, removed) - removed)...].prefix(limit))
    }

    /// What was committed under a dedup key.
    public func dedup(
        _ number: InstanceNumber, key: [UInt8]
    ) throws(StoreError) -> DedupEntry? { dedups[number]?[key] }

    /// The effects of one instance.
    public func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        sortedEffects { $0.ref.number == number }
    }

    /// One effect's row.
    public func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? { effectRows[ref] }

    /// A page of effects that are due; sorts them all for each page.
    public func effectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        effectRows.values.compactMap { row in row.due.map { (due: $0, ref: row.ref) } }
            .filter { $0.due <= now }
            .sorted { ($0.due, $0.ref) < ($1.due, $1.ref) }
            .prefix(limit).map(\.ref)
    }

    /// When the next effect is due.
    public func nextDue() throws(StoreError) -> Timestamp? {
        effectRows.values.compactMap(\.due).min()
    }

    /// A page of effects that wait for a handler; sorts them all for each page.
    public func effects(
        inLane lane: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        sortedEffects { row in row.lane == lane && after.map { $0 < row.ref } != false }
            .prefix(limit).map(\.ref)
    }

    /// The names of all handlers that effects wait for.
    public func lanes() throws(StoreError) -> [String] {
        Set(effectRows.values.compactMap(\.lane)).sorted()
    }

    /// A page of effects; sorts them all for each page.
    public func effects(
        after: EffectRef?, limit: Int
    ) throws(StoreError) -> [StoredEffect] {
        Array(sortedEffects { row in after.map { $0 < row.ref } != false }.prefix(limit))
    }

    private func sortedEffects(
        where isIncluded: (StoredEffect) -> Bool
    ) -> [StoredEffect] {
        effectRows.values.filter(isIncluded).sorted { $0.ref < $1.ref }
    }

    /// Takes everything over; fails only on bytes that are no rows.
    public func commit(_ writes: WriteSet) throws(StoreError) {
        precondition(writes.firstSequence == head + 1, "the journal is dense")
        var begin = 0
        for end in writes.journalEnds {
            steps.append(
                try writes.journal.read(begin..<end) { bytes throws(StoreError) in
                    try JournalRecord(decoding: bytes, sequence: head + 1)
                })
            begin = end
        }
        for deletion in writes.deletions { remove(deletion) }
        let deleted = Set(writes.deletions.map(\.number))
        for write in writes.instances where !deleted.contains(write.number) {
            let name = try writes.snapshots.read(write.name) { bytes throws(StoreError) in
                InstanceName(utf8: bytes)
            }
            guard let name else { throw .corrupt("an instance has no valid name") }
            rows[name.text] = try writes.snapshots.read(write.snapshot) {
                bytes throws(StoreError) in
                try StoredInstance(decoding: bytes, number: write.number, name: name)
            }
            live.insert(write.number)
            lastInstanceNumber = max(lastInstanceNumber, write.number)
        }
        for write in writes.dedups { dedups[write.number, default: [:]][write.key] = write.entry }
        for write in writes.effects { effectRows[write.ref] = write.row }
        commits += 1
    }

    private func remove(_ deletion: WriteSet.Deletion) {
        if let row = rows.first(where: { $0.value.number == deletion.number }) {
            rows[row.key] = nil
        }
        live.remove(deletion.number)
        lastInstanceNumber = max(lastInstanceNumber, deletion.number)
        garbage.append(deletion)
    }

    /// There is always room, or the process ends.
    public func checkRoom() throws(StoreError) {}

    /// Erases one deleted instance.
    public func sweep() throws(StoreError) -> Bool {
        guard let deletion = garbage.popLast() else { return false }
        dedups[deletion.number] = nil
        var next = deletion.newest
        while next >= first, steps[Int(next - first)].kind != .erased {
            let step = steps[Int(next - first)]
            steps[Int(next - first)] = JournalRecord(sequence: next, kind: .erased)
            next = step.previous
        }
        return !garbage.isEmpty
    }

    /// Removes up to 64 of the oldest steps, one by one; all but the newest may go.
    public func cut(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool {
        var bytes = bounds.bytesMax == nil ? 0 : steps.reduce(0) { $0 + $1.encodedBytes }
        var count = 0
        while count < 64, steps.count - count > 1 {
            let step = steps[count]
            let newest = step.kind == .erased ? nil : step.at
            guard
                bounds.letGo(
                    staying: Int64(steps.count - count - 1), newest: newest, bytes: bytes,
                    at: now)
            else { break }
            if bounds.bytesMax != nil { bytes -= step.encodedBytes }
            if step.kind != .erased || machineFloors.isEmpty { floor = step.sequence + 1 }
            count += 1
        }
        removeFirst(count)
        return count == 64
    }

    private func removeFirst(_ count: Int) {
        steps.removeFirst(count)
        removed += JournalPosition(count)
    }

    /// Removes up to 64 of the oldest steps of each machine, one by one.
    public func trim(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool {
        var isMore = false
        for (machine, bounds) in bounds { isMore = trim(machine, to: bounds, now) || isMore }
        machineFloors = machineFloors.filter { bounds[$0.key] != nil || $0.value > floor }
        if !machineFloors.isEmpty {
            removeFirst(steps.dropLast().prefix { $0.kind == .erased }.count)
        }
        return isMore
    }

    private func trim(_ machine: String, to bounds: JournalBounds, _ now: Timestamp) -> Bool {
        let places = steps.indices.filter { steps[$0].name?.machine == machine }
        var bytes = bounds.bytesMax == nil ? 0 : places.reduce(0) { $0 + steps[$1].encodedBytes }
        var staying = Int64(places.count)
        for (count, place) in places.enumerated() {
            guard count < 64 else { return true }
            let step = steps[place]
            staying -= 1
            guard bounds.letGo(staying: staying, newest: step.at, bytes: bytes, at: now) else {
                return false
            }
            if bounds.bytesMax != nil { bytes -= step.encodedBytes }
            steps[place] = JournalRecord(sequence: step.sequence, kind: .erased)
            machineFloors[machine] = step.sequence + 1
        }
        return false
    }

    /// Looks for done instances; sorts them all for each page.
    public func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        let page = rows.values.filter { $0.number > number }.sorted { $0.number < $1.number }
            .prefix(limit)
        return FinishedPage(
            names: page.filter { $0.isDone && $0.updated < time }.map(\.name),
            next: page.count == limit ? page.last?.number : nil)
    }

    /// Steps, instances and commits.
    public func statistics() -> [(name: String, value: Int64)] {
        [
            ("journal_first", first), ("journal_steps", head - removed),
            ("instances", Int64(rows.count)), ("commits", commits),
            ("effects", Int64(effectRows.count)),
        ]
    }
}

extension JournalRecord {
    /// Bytes of the step as it is written.
    fileprivate var encodedBytes: Int64 {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return Int64(bytes.count)
    }
}
