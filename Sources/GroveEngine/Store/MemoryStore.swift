import GroveAccess

/// A store in memory: the reference for the behavior of stores, and the store of tests. Its data
/// ends with the process.
public final class MemoryStore: Store {
    public let logID: LogID
    public private(set) var lastInstanceNumber = InstanceNumber(0)
    private var steps = HeldSteps()
    /// The oldest held step of machines without a later floor.
    private var floor: JournalPosition = 1
    private var machineFloors: [String: JournalPosition] = [:]
    private var rows: [String: StoredInstance] = [:]
    /// The names in order. Names are ASCII, so this is the order of their bytes.
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

    private struct EffectTime: Comparable {
        var due: Timestamp
        var ref: EffectRef

        static func < (left: EffectTime, right: EffectTime) -> Bool {
            (left.due, left.ref) < (right.due, right.ref)
        }
    }

    private struct QueuedEffect: Comparable {
        var queue: String
        var ref: EffectRef

        static func < (left: QueuedEffect, right: QueuedEffect) -> Bool {
            (left.queue, left.ref) < (right.queue, right.ref)
        }
    }

    public private(set) var holds: [HoldSubject: Hold] = [:]
    private var storedDefinitions = StoredDefinitions()
    public var definitions: [StoredDefinition] { storedDefinitions.all }

    private var accountsTable = AccountsTable()
    private var auditEntries: [AuditEntry] = []
    public var accounts: StoredAccounts { StoredAccounts(accountsTable.rows) }

    public init(logID: LogID = LogID(high: 0, low: 1)) { self.logID = logID }

    public var head: JournalPosition { steps.end - 1 }

    public var first: JournalPosition { steps.first }

    public var floors: JournalFloors { JournalFloors(journal: floor, machines: machineFloors) }

    /// The counts of each machine; counted with each call.
    public var machineCounts: [String: MachineCounts] {
        var counts: [String: MachineCounts] = [:]
        for row in rows.values {
            counts[row.name.machine, default: MachineCounts()].instances += 1
            if row.isDone { counts[row.name.machine]?.done += 1 }
        }
        for row in effectRows.values {
            guard let attention = row.attention else { continue }
            counts[row.machine, default: MachineCounts()][attention] += 1
        }
        return counts
    }

    public func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        rows[name.text]
    }

    /// Returns whether the number belongs to a deleted instance that isn't purged yet.
    public func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool {
        garbageNumbers.contains(number)
    }

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

    public func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        sequence >= first && sequence <= head ? steps[sequence] : nil
    }

    /// A page of journal steps; ignores the bound of bytes.
    public func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord] {
        precondition(sequence >= 0 && limit > 0, "a page begins in the journal and has a size")
        let begin = max(sequence + 1, first)
        guard begin <= head else { return [] }
        let count = min(head - begin, Int64(limit) - 1) + 1
        return (begin..<begin + count).map { steps[$0] }
    }

    public func dedup(
        _ number: InstanceNumber, key: [UInt8]
    ) throws(StoreError) -> DedupEntry? { dedups[number]?[key] }

    public func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        var found: [StoredEffect] = []
        for ref in effectRefs.values(from: EffectRef(instance: number, number: .min)) {
            guard ref.instance == number, let row = effectRows[ref] else { break }
            found.append(row)
        }
        return found
    }

    public func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? { effectRows[ref] }

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

    public func nextDue() throws(StoreError) -> Timestamp? {
        effectTimes.values().first { _ in true }?.due
    }

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

    public func effects(
        _ attention: EffectAttention, of machine: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        var found: [EffectRef] = []
        for ref in effectRefs.values(after: after) {
            guard found.count < limit else { break }
            guard let row = effectRows[ref], row.attention == attention, row.machine == machine
            else { continue }
            found.append(ref)
        }
        return found
    }

    public func ownEffects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try effects(of: number)
    }

    public func soundHandlerQueues() throws(StoreError) -> [String] { try handlerQueues() }

    public func soundEffectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> SoundEffects {
        var found = SoundEffects()
        found.refs = try effectsDue(at: now, limit: limit)
        found.due = found.refs.first.flatMap { effectRows[$0]?.due }
        return found
    }

    public func soundEffects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        var found = SoundEffects()
        found.refs = try effects(inHandlerQueue: queue, after: after, limit: limit)
        return found
    }

    public func handlerQueues() throws(StoreError) -> [String] {
        var found: [String] = []
        for entry in effectQueues.values() where entry.queue != found.last {
            found.append(entry.queue)
        }
        return found
    }

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

    /// Commits all writes or none. Encodes and decodes rows of effects like a data file, so that a
    /// row that can't be stored fails here as well.
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
        for change in writes.definitions { _ = storedDefinitions.apply(change) }
        for row in writes.accounts {
            accountsTable.apply(row)
            if case .audit(let entry) = row { auditEntries.append(entry) }
        }
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

    public func audit(after number: Int64, limit: Int) throws(StoreError) -> AuditPage {
        var page = AuditPage()
        for entry in auditEntries.drop(while: { $0.number <= number }).prefix(limit)
        where page.hasRoom {
            page.add(entry)
        }
        return page
    }

    public func truncateAudit(
        before time: Timestamp, at now: Timestamp
    ) throws(StoreError) -> Bool {
        let oldest = auditEntries.dropLast().prefix {
            $0.time < time.milliseconds || $0.time > now.milliseconds
        }
        let last = oldest.lastIndex { $0.time < time.milliseconds }
        auditEntries.removeFirst(last.map { $0 + 1 } ?? 0)
        return false
    }

    /// Does nothing: without memory the process ends.
    public func probeDiskSpace() throws(StoreError) {}

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

    /// Removes up to 64 of the oldest steps, one at a time. The newest stays.
    public func truncate(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool {
        var count = 0
        while count < 64, steps.count > 1 {
            let step = steps[first]
            let newest = step.kind == .erased ? nil : steps.latestTime(of: first, at: now)
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

    /// Removes up to 64 of the oldest steps of each machine, one at a time.
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
            guard
                bounds.allowsRemoval(
                    staying: staying, newest: steps.latestTime(of: place, at: now), bytes: bytes,
                    at: now)
            else { return false }
            if bounds.bytesMax != nil { bytes -= step.encodedBytes }
            steps.erase(place)
            machineFloors[machine] = step.sequence + 1
        }
        return false
    }

    public func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        let looked = Array(numbers.values(after: number).prefix(limit))
        let page = looked.compactMap { namesByNumber[$0].flatMap { rows[$0] } }
        return FinishedPage(
            names: page.filter { $0.isDone && $0.updated < time }.map(\.name),
            next: page.count == limit ? looked.last : nil)
    }

    public func statistics() -> [(name: String, value: Int64)] {
        [
            ("journal_first", first), ("journal_steps", Int64(steps.count)),
            ("instances", Int64(rows.count)), ("commits", commits),
            ("effects", Int64(effectRows.count)),
        ]
    }
}

/// The held steps by position. Removes the oldest without moving the others each time.
private struct HeldSteps {
    private var records: [JournalRecord] = []
    /// The number of removed elements at the beginning of `records`.
    private var begin = 0
    /// The position of the oldest step.
    private(set) var first: JournalPosition = 1
    private(set) var bytes: Int64 = 0

    var count: Int { records.count - begin }
    /// The position after the newest step.
    var end: JournalPosition { first + JournalPosition(count) }

    subscript(sequence: JournalPosition) -> JournalRecord {
        records[begin + Int(sequence - first)]
    }

    /// The time at which a step was taken, at the latest: one of a time after now is at least as
    /// old as the next step whose time can be right.
    func latestTime(of sequence: JournalPosition, at now: Timestamp) -> Timestamp {
        let place = begin + Int(sequence - first)
        let isRight = { (record: JournalRecord) in record.kind != .erased && record.at <= now }
        return records[place...].first(where: isRight)?.at ?? records[place].at
    }

    mutating func append(_ record: JournalRecord, bytes count: Int) {
        bytes += Int64(count)
        records.append(record)
    }

    /// Erases a step and keeps its position.
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
    /// Throws for rows that a data file doesn't accept.
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
    /// The effect as a data file would return it.
    fileprivate func asStored() throws(StoreError) -> StoredEffect {
        let body = try encodedBody()
        try WriteSet.check(body.count)
        return try body.read(0..<body.count) { (bytes) throws(StoreError) in
            try StoredEffect(ref: ref, due: due, handlerQueue: handlerQueue, decoding: bytes)
        }
    }
}

extension JournalRecord {
    fileprivate var encodedBytes: Int64 {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return Int64(bytes.count)
    }
}
