/// A store in memory: the reference for what a store does, and the store of tests. Nothing in it
/// outlives the process.
public final class MemoryStore: Store {
    /// The id of this log.
    public let logID: LogID
    /// The highest instance number ever given.
    public private(set) var lastInstanceNumber = InstanceNumber(0)
    /// The steps that are held; those before them were removed.
    private var steps = HeldSteps()
    /// The oldest step of machines that have no later floor of their own.
    private var floor: JournalPosition = 1
    private var machineFloors: [String: JournalPosition] = [:]
    private var rows: [String: StoredInstance] = [:]
    /// Their names in order. Names are ASCII, so that is the order of their bytes.
    private var names = SortedList<String>()
    private var numbers = SortedList<InstanceNumber>()
    private var namesByNumber: [InstanceNumber: String] = [:]
    private var dedups: [InstanceNumber: [[UInt8]: DedupEntry]] = [:]
    private var garbage: [WriteSet.Deletion] = []
    private var garbageNumbers: Set<InstanceNumber> = []
    private var commits: Int64 = 0
    private var effectRows: [EffectRef: StoredEffect] = [:]
    private var effectRefs = SortedList<EffectRef>()
    private var effectTimes = SortedList<EffectTime>()
    private var effectQueues = SortedList<QueuedEffect>()

    /// When an effect is due.
    private struct EffectTime: Comparable {
        var due: Timestamp
        var ref: EffectRef

        static func < (left: EffectTime, right: EffectTime) -> Bool {
            (left.due, left.ref) < (right.due, right.ref)
        }
    }

    /// Which handler an effect waits for.
    private struct QueuedEffect: Comparable {
        var queue: String
        var ref: EffectRef

        static func < (left: QueuedEffect, right: QueuedEffect) -> Bool {
            (left.queue, left.ref) < (right.queue, right.ref)
        }
    }

    /// What is held.
    public private(set) var holds: [HoldSubject: Hold] = [:]

    /// An empty store with a log id of the caller's choice.
    public init(logID: LogID = LogID(high: 0, low: 1)) { self.logID = logID }

    /// The last committed journal step.
    public var head: JournalPosition { steps.end - 1 }

    /// The oldest journal step that is there.
    public var first: JournalPosition { steps.first }

    /// The oldest step held, per machine.
    public var floors: JournalFloors { JournalFloors(journal: floor, machines: machineFloors) }

    /// The committed snapshot of one instance.
    public func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        rows[name.text]
    }

    /// Returns whether the number belongs to a deleted instance that isn't purged yet.
    public func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool {
        garbageNumbers.contains(number)
    }

    /// A page of instances in the byte order of their names.
    public func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        var found: [StoredInstance] = []
        var room = bytes
        for name in names.values(from: max(prefix, after ?? "")) where name != after {
            guard found.count < limit, room > 0, name.utf8.starts(with: prefix.utf8),
                let row = rows[name]
            else { break }
            found.append(row)
            room -= row.state.count
        }
        return found
    }

    /// One journal step.
    public func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        sequence >= first && sequence <= head ? steps[sequence] : nil
    }

    /// A page of journal steps; the bound of bytes is not looked at.
    public func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord] {
        precondition(sequence >= 0 && limit > 0, "a page begins in the journal and has a size")
        let begin = max(sequence + 1, first)
        guard begin <= head else { return [] }
        let count = min(head - begin, Int64(limit) - 1) + 1
        return (begin..<begin + count).map { steps[$0] }
    }

    /// What was committed under a dedup key.
    public func dedup(
        _ number: InstanceNumber, key: [UInt8]
    ) throws(StoreError) -> DedupEntry? { dedups[number]?[key] }

    /// The effects of one instance.
    public func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        var found: [StoredEffect] = []
        for ref in effectRefs.values(from: EffectRef(instance: number, number: .min)) {
            guard ref.instance == number, let row = effectRows[ref] else { break }
            found.append(row)
        }
        return found
    }

    /// One effect's row.
    public func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? { effectRows[ref] }

    /// A page of effects that are due.
    public func effectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        var found: [EffectRef] = []
        for entry in effectTimes.values() {
            guard entry.due <= now, found.count < limit else { break }
            found.append(entry.ref)
        }
        return found
    }

    /// When the next effect is due.
    public func nextDue() throws(StoreError) -> Timestamp? {
        effectTimes.values().first { _ in true }?.due
    }

    /// A page of effects that wait for a handler.
    public func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        let none = EffectRef(instance: InstanceNumber(.min), number: .min)
        var found: [EffectRef] = []
        for entry in effectQueues.values(after: QueuedEffect(queue: queue, ref: after ?? none)) {
            guard entry.queue == queue, found.count < limit else { break }
            found.append(entry.ref)
        }
        return found
    }

    /// The same; nothing in memory is ever damaged.
    public func ownEffects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try effects(of: number)
    }

    /// The same; nothing in memory is ever damaged.
    public func soundHandlerQueues() throws(StoreError) -> [String] { try handlerQueues() }

    /// The same; nothing in memory is ever damaged.
    public func soundEffectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> SoundEffects {
        var found = SoundEffects()
        found.refs = try effectsDue(at: now, limit: limit)
        found.due = found.refs.first.flatMap { effectRows[$0]?.due }
        return found
    }

    /// The same; nothing in memory is ever damaged.
    public func soundEffects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        var found = SoundEffects()
        found.refs = try effects(inHandlerQueue: queue, after: after, limit: limit)
        return found
    }

    /// The names of all handlers that effects wait for.
    public func handlerQueues() throws(StoreError) -> [String] {
        var found: [String] = []
        for entry in effectQueues.values() where entry.queue != found.last {
            found.append(entry.queue)
        }
        return found
    }

    /// A page of effects.
    public func effects(
        after: EffectRef?, limit: Int
    ) throws(StoreError) -> [StoredEffect] {
        effectRefs.values(after: after).prefix(limit).compactMap { effectRows[$0] }
    }

    private func write(_ row: StoredEffect?, of ref: EffectRef) {
        let old = effectRows[ref]
        if let due = old?.due { effectTimes.remove(EffectTime(due: due, ref: ref)) }
        if let queue = old?.handlerQueue {
            effectQueues.remove(QueuedEffect(queue: queue, ref: ref))
        }
        effectRows[ref] = row
        guard let row else { return effectRefs.remove(ref) }
        effectRefs.insert(ref)
        if let due = row.due { effectTimes.insert(EffectTime(due: due, ref: ref)) }
        if let queue = row.handlerQueue {
            effectQueues.insert(QueuedEffect(queue: queue, ref: ref))
        }
    }

    /// Commits everything or nothing. Encodes and decodes rows of effects as a data file would, so
    /// that a row that can't be stored fails here as well.
    ///
    /// - Throws: `.tooLarge` as a data file does; `.corrupt` for a row that can't be decoded.
    public func commit(_ writes: WriteSet) throws(StoreError) {
        precondition(writes.firstSequence == head + 1, "the journal is dense")
        try writes.checkSizes()
        let effects = try writes.effects.map { (write) throws(StoreError) in
            var write = write
            write.row = try write.row?.asStored()
            return write
        }
        var begin = 0
        for end in writes.journalEnds {
            steps.append(
                try writes.journal.read(begin..<end) { bytes throws(StoreError) in
                    try JournalRecord(decoding: bytes, sequence: head + 1)
                }, bytes: end - begin)
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
            names.insert(name.text)
            numbers.insert(write.number)
            namesByNumber[write.number] = name.text
            lastInstanceNumber = max(lastInstanceNumber, write.number)
        }
        for write in writes.dedups { dedups[write.number, default: [:]][write.key] = write.entry }
        for write in effects { self.write(write.row, of: write.ref) }
        for (subject, hold) in writes.holds { holds[subject] = hold }
        commits += 1
    }

    private func remove(_ deletion: WriteSet.Deletion) {
        if let name = namesByNumber.removeValue(forKey: deletion.number) {
            rows[name] = nil
            names.remove(name)
            numbers.remove(deletion.number)
        }
        lastInstanceNumber = max(lastInstanceNumber, deletion.number)
        garbage.append(deletion)
        garbageNumbers.insert(deletion.number)
    }

    /// Does nothing: without memory the process ends.
    public func probeDiskSpace() throws(StoreError) {}

    /// Erases one deleted instance.
    public func purge() throws(StoreError) -> Bool {
        guard let deletion = garbage.popLast() else { return false }
        garbageNumbers.remove(deletion.number)
        dedups[deletion.number] = nil
        var next = deletion.newest
        while next >= first, steps[next].kind != .erased {
            let previous = steps[next].previous
            steps.erase(next)
            next = previous
        }
        return !garbage.isEmpty
    }

    /// Removes up to 64 of the oldest steps, one by one. The newest stays.
    public func truncate(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool {
        var count = 0
        while count < 64, steps.count > 1 {
            let step = steps[first]
            let newest = step.kind == .erased ? nil : step.at
            guard
                bounds.allowsRemoval(
                    staying: Int64(steps.count - 1), newest: newest, bytes: steps.bytes, at: now)
            else { break }
            if step.kind != .erased || machineFloors.isEmpty { floor = step.sequence + 1 }
            steps.removeFirst()
            count += 1
        }
        return count == 64
    }

    /// Removes up to 64 of the oldest steps of each machine, one by one.
    public func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool {
        var isMore = false
        for (machine, bounds) in bounds { isMore = truncate(machine, to: bounds, now) || isMore }
        machineFloors = machineFloors.filter { bounds[$0.key] != nil || $0.value > floor }
        if !machineFloors.isEmpty {
            while steps.count > 1, steps[first].kind == .erased { steps.removeFirst() }
        }
        return isMore
    }

    private func truncate(_ machine: String, to bounds: JournalBounds, _ now: Timestamp) -> Bool {
        let places = (first..<steps.end).filter { steps[$0].name?.machine == machine }
        var bytes = bounds.bytesMax == nil ? 0 : places.reduce(0) { $0 + steps[$1].encodedBytes }
        var staying = Int64(places.count)
        for (count, place) in places.enumerated() {
            guard count < 64 else { return true }
            let step = steps[place]
            staying -= 1
            guard bounds.allowsRemoval(staying: staying, newest: step.at, bytes: bytes, at: now)
            else {
                return false
            }
            if bounds.bytesMax != nil { bytes -= step.encodedBytes }
            steps.erase(place)
            machineFloors[machine] = step.sequence + 1
        }
        return false
    }

    /// Looks for done instances.
    public func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        let looked = Array(numbers.values(after: number).prefix(limit))
        let page = looked.compactMap { namesByNumber[$0].flatMap { rows[$0] } }
        return FinishedPage(
            names: page.filter { $0.isDone && $0.updated < time }.map(\.name),
            next: page.count == limit ? looked.last : nil)
    }

    /// Steps, instances and commits.
    public func statistics() -> [(name: String, value: Int64)] {
        [
            ("journal_first", first), ("journal_steps", Int64(steps.count)),
            ("instances", Int64(rows.count)), ("commits", commits),
            ("effects", Int64(effectRows.count)),
        ]
    }
}

/// The steps that are held, by their places. The oldest ones go, one by one, without the others
/// being moved each time.
private struct HeldSteps {
    private var records: [JournalRecord] = []
    /// Of `records`, those before it were removed.
    private var begin = 0
    /// The place of the oldest step.
    private(set) var first: JournalPosition = 1
    /// Bytes of all steps as they are written.
    private(set) var bytes: Int64 = 0

    var count: Int { records.count - begin }
    /// The place behind the newest step.
    var end: JournalPosition { first + JournalPosition(count) }

    subscript(sequence: JournalPosition) -> JournalRecord {
        records[begin + Int(sequence - first)]
    }

    mutating func append(_ record: JournalRecord, bytes count: Int) {
        bytes += Int64(count)
        records.append(record)
    }

    /// Leaves only the place of a step.
    mutating func erase(_ sequence: JournalPosition) {
        replace(sequence)
        bytes += self[sequence].encodedBytes
    }

    private mutating func replace(_ sequence: JournalPosition) {
        bytes -= self[sequence].encodedBytes
        records[begin + Int(sequence - first)] = JournalRecord(sequence: sequence, kind: .erased)
    }

    mutating func removeFirst() {
        replace(first)
        begin += 1
        first += 1
        guard begin > 64, 2 * begin > records.count else { return }
        records.removeFirst(begin)
        begin = 0
    }
}

extension WriteSet {
    /// Refuses what a file wouldn't take either.
    fileprivate func checkSizes() throws(StoreError) {
        var begin = 0
        for end in journalEnds {
            try Self.check(end - begin)
            begin = end
        }
        for instance in instances { try Self.check(instance.snapshot.count) }
    }

    fileprivate static func check(_ bytes: Int) throws(StoreError) {
        guard bytes <= Limits.storedRowBytesMax else {
            throw .tooLarge("a row has \(bytes) bytes")
        }
    }
}

extension StoredEffect {
    /// The effect as it comes back from a file.
    fileprivate func asStored() throws(StoreError) -> StoredEffect {
        let body = try encodedBody()
        try WriteSet.check(body.count)
        return try body.read(0..<body.count) { (bytes) throws(StoreError) in
            try StoredEffect(ref: ref, due: due, handlerQueue: handlerQueue, decoding: bytes)
        }
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
