import GroveTestSupport
import OrderedJSON
import Transducers

@testable import GroveEngine

/// The expected content of a store as simple values, and the maker of its commits.
struct StoreModel {
    var records: [JournalRecord] = []
    var instances: [String: StoredInstance] = [:]
    var dedups: [InstanceNumber: [[UInt8]: DedupEntry]] = [:]
    var effects: [EffectRef: StoredEffect] = [:]
    var deleted: Set<InstanceNumber> = []
    var lastNumber: Int64 = 0
    /// The oldest step that the store holds.
    var floor: JournalPosition = 1
    /// Of machines that have later floors, the oldest step that it holds.
    private var machineFloors: [String: JournalPosition] = [:]

    /// Milliseconds by which the clock is ahead: step n has the time 1,000 + n, and these.
    var ahead: Int64 = 0
    private var pending = WriteSet(firstSequence: 1)
    private var touched: [String: Touch] = [:]
    /// The effects that began in this commit.
    private var born: Set<EffectRef> = []

    /// A changed instance of a commit.
    private struct Touch {
        var isNew: Bool
        var followsFromJournal: Bool
    }

    var head: JournalPosition { JournalPosition(records.count) }

    /// Everything since the last call as one commit.
    mutating func takeWrites() -> WriteSet {
        for (name, touch) in touched {
            guard var instance = instances[name] else { continue }
            pending.append(
                &instance, isNew: touch.isNew, followsFromJournal: touch.followsFromJournal)
        }
        defer {
            touched = [:]
            born = []
            pending = WriteSet(firstSequence: head + 1)
        }
        return pending
    }

    private mutating func touch(
        _ name: String, isNew: Bool = false, followsFromJournal: Bool = false
    ) {
        let before = touched[name] ?? Touch(isNew: isNew, followsFromJournal: true)
        touched[name] = Touch(
            isNew: before.isNew,
            followsFromJournal: before.followsFromJournal && followsFromJournal)
    }

    private mutating func append(_ record: JournalRecord) {
        records.append(record)
        record.encode(into: &pending.journal)
        pending.journalEnds.append(pending.journal.count)
    }

    /// Creates an instance that does not exist.
    mutating func create(_ text: String, state: [UInt8] = Array("{}".utf8)) {
        guard let name = InstanceName(text) else { return }
        lastNumber += 1
        let number = InstanceNumber(lastNumber)
        var record = JournalRecord(sequence: head + 1, kind: .created)
        record.number = number
        record.name = name
        record.at = Timestamp(milliseconds: 1_000 + record.sequence + ahead)
        record.state = state
        record.stateAt = record.sequence
        append(record)
        var instance = StoredInstance(number: number, name: name)
        instance.definitionVersion = "1.0"
        instance.created = record.at
        instance.updated = record.at
        instance.origin = record.sequence
        instance.newest = record.sequence
        instance.stateAt = record.sequence
        instance.state = state
        instances[text] = instance
        touch(text, isNew: true)
    }

    /// Steps an instance that exists; `state` is `nil` when it doesn't change.
    mutating func step(
        _ text: String, event: [UInt8] = [0x31], state: [UInt8]? = nil, outputs: Int = 0,
        key: [UInt8]? = nil, base: JournalRecord.Base? = nil,
        effects changes: [JournaledEffects.Change] = []
    ) {
        guard var instance = instances[text] else { return }
        var record = JournalRecord(sequence: head + 1, kind: .step)
        instance.version += 1
        record.number = instance.number
        record.name = instance.name
        record.version = instance.version
        record.at = Timestamp(milliseconds: 1_000 + record.sequence + ahead)
        record.previous = instance.newest
        record.event = event
        record.dedup = key
        record.state = state
        record.outputs = (0..<outputs).map {
            JournalRecord.Output(type: $0 % 2 == 0 ? "even" : nil, data: Array("\($0)".utf8))
        }
        if let key { record.eventHash = EventHash(of: key + event) }
        record.base = base
        record.skip = Skips.link(
            version: record.version, sequence: record.sequence, skips: &instance.skips,
            created: instance.origin)
        record.stateAt = state == nil && base == nil ? instance.stateAt : record.sequence
        if !changes.isEmpty { journal(changes, of: &instance, in: &record) }
        append(record)
        instance.newest = record.sequence
        instance.stateAt = record.stateAt
        instance.updated = record.at
        if let state { instance.state = state }
        if let key, let entry = record.dedupEntry {
            instance.hasDedup = true
            dedups[record.number, default: [:]][key] = entry
            pending.dedups.append(
                WriteSet.DedupWrite(
                    number: record.number, key: key, entry: entry, followsFromJournal: true))
        }
        instances[text] = instance
        touch(text, followsFromJournal: true)
    }

    /// Has an instance ask for work for a handler, and ends others, in one step.
    @discardableResult
    mutating func ask(
        _ text: String, lane: String, ending ended: [EffectRef] = [], argument: String = "a"
    ) -> EffectRef {
        guard let instance = instances[text] else { preconditionFailure("no \(text)") }
        let ref = EffectRef(instance: instance.number, number: instance.lastEffectNumber + 1)
        var body = StoredEffect.Body(
            owner: text, phase: .active,
            run: HostedRun(
                key: HostedKey(id: "x"), work: .perform(handler: "pay", argument: .string(argument))
            ),
            asked: Timestamp(milliseconds: 1_001 + head))
        body.begun = body.asked
        body.log = "0123456789abcdef"
        let row = StoredEffect(ref: ref, handlerQueue: lane, body: body)
        step(
            text, state: Array("\(head)".utf8),
            effects: ended.map { JournaledEffects.Change(ref: $0, row: nil) }
                + [JournaledEffects.Change(ref: ref, row: row)])
        return ref
    }

    /// Ends an effect in a step.
    mutating func complete(_ ref: EffectRef) {
        guard let row = effects[ref] else { return }
        step(row.body.owner, effects: [JournaledEffects.Change(ref: ref, row: nil)])
    }

    private mutating func journal(
        _ changes: [JournaledEffects.Change], of instance: inout StoredInstance,
        in record: inout JournalRecord
    ) {
        for change in changes {
            let isNew = change.ref.number > instance.lastEffectNumber
            instance.lastEffectNumber = max(instance.lastEffectNumber, change.ref.number)
            if isNew { instance.effectCount += 1 }
            if change.row == nil { instance.effectCount -= 1 }
            effects[change.ref] = change.row
            if isNew { born.insert(change.ref) }
            pending.write(
                change.row, of: change.ref, isNew: born.contains(change.ref),
                followsFromJournal: true)
        }
        var journaled = JournaledEffects(
            lastNumber: instance.lastEffectNumber, count: instance.effectCount)
        journaled.changes = changes
        var bytes: [UInt8] = []
        do {
            try journaled.encode(into: &bytes, at: record.at)
        } catch { preconditionFailure("\(error)") }
        record.effectRows = bytes
        record.effects = [Array(#"{"type":"started"}"#.utf8)]
    }

    /// Makes the last step of an instance that exists.
    mutating func finish(_ text: String) {
        guard var instance = instances[text] else { return }
        var record = JournalRecord(sequence: head + 1, kind: .stopped)
        record.number = instance.number
        record.name = instance.name
        record.version = instance.version
        record.at = Timestamp(milliseconds: 1_000 + record.sequence + ahead)
        record.previous = instance.newest
        record.stateAt = instance.stateAt
        record.isDone = true
        append(record)
        instance.newest = record.sequence
        instance.updated = record.at
        instance.isDone = true
        instances[text] = instance
        touch(text)
    }

    /// Notes what happened to effects of an instance that exists, and nothing else.
    mutating func note(_ text: String, _ effects: [[UInt8]]) {
        guard var instance = instances[text] else { return }
        var record = JournalRecord(sequence: head + 1, kind: .effect)
        record.number = instance.number
        record.name = instance.name
        record.version = instance.version
        record.at = Timestamp(milliseconds: 1_000 + record.sequence + ahead)
        record.previous = instance.newest
        record.stateAt = instance.stateAt
        record.effects = effects
        append(record)
        instance.newest = record.sequence
        instances[text] = instance
        touch(text)
    }

    /// Has an instance that exists ask for an effect.
    @discardableResult
    mutating func begin(
        _ text: String, due: Int64? = nil, lane: String? = nil, reason: String? = nil
    ) -> EffectRef {
        guard var instance = instances[text] else { preconditionFailure("no \(text)") }
        instance.lastEffectNumber += 1
        instance.effectCount += 1
        instances[text] = instance
        touch(text)
        let ref = EffectRef(instance: instance.number, number: instance.lastEffectNumber)
        var body = StoredEffect.Body(
            owner: text, phase: .active, run: nil, asked: Timestamp(milliseconds: 1_000 + head))
        body.reason = reason
        let row = StoredEffect(
            ref: ref, due: due.map { Timestamp(milliseconds: $0) }, handlerQueue: lane, body: body)
        write(row, ref, isNew: true)
        return ref
    }

    /// Changes what an effect waits for.
    mutating func change(
        _ ref: EffectRef, due: Int64? = nil, lane: String? = nil, phase: StoredEffect.Phase? = nil
    ) {
        guard var row = effects[ref] else { return }
        if let phase { row.body.phase = phase }
        row.due = due.map { Timestamp(milliseconds: $0) }
        row.handlerQueue = lane
        row.body.failures += 1
        write(row, ref)
    }

    /// Ends an effect.
    mutating func end(_ ref: EffectRef) {
        guard let row = effects[ref], var instance = instances[row.body.owner] else { return }
        instance.effectCount -= 1
        instances[row.body.owner] = instance
        touch(row.body.owner)
        write(nil, ref)
    }

    /// Writes or removes a row.
    mutating func write(_ row: StoredEffect?, _ ref: EffectRef, isNew: Bool = false) {
        effects[ref] = row
        pending.write(row, of: ref, isNew: isNew)
    }

    /// Deletes an instance that exists.
    mutating func delete(_ text: String) {
        guard let instance = instances.removeValue(forKey: text) else { return }
        var record = JournalRecord(sequence: head + 1, kind: .deleted)
        record.name = instance.name
        append(record)
        touched[text] = nil
        dedups[instance.number] = nil
        for ref in effects.keys.sorted() where ref.instance == instance.number { write(nil, ref) }
        deleted.insert(instance.number)
        pending.deletions.append(
            WriteSet.Deletion(number: instance.number, newest: instance.newest))
    }

    /// The journal after all deleted instances are purged.
    var sweptRecords: [JournalRecord] {
        records.map { record in
            deleted.contains(record.number) || isTrimmed(record)
                ? JournalRecord(sequence: record.sequence, kind: .erased) : record
        }
    }

    /// Takes over where a store says that the journal begins, in all and of single machines.
    mutating func noteFloors(_ store: any Store) {
        floor = store.first
        for (machine, first) in store.floors.machines {
            machineFloors[machine] = max(first, machineFloors[machine] ?? 0)
        }
    }

    private func isTrimmed(_ record: JournalRecord) -> Bool {
        guard let name = record.name else { return false }
        return record.sequence < machineFloors[name.machine] ?? 0
    }

    /// The places of all steps of a machine, also of those that are gone.
    func places(_ machine: String) -> [JournalPosition] {
        records.filter { $0.name?.machine == machine }.map(\.sequence)
    }

    /// The counts per machine.
    var machineCounts: [String: MachineCounts] {
        var counts: [String: MachineCounts] = [:]
        for instance in instances.values {
            counts[instance.name.machine, default: MachineCounts()].instances += 1
            if instance.isDone { counts[instance.name.machine]?.done += 1 }
        }
        for row in effects.values {
            guard let machine = row.body.owner.split(separator: "/").first.map(String.init) else {
                continue
            }
            switch row.body.phase {
            case .failed: counts[machine, default: MachineCounts()].failed += 1
            case .asking: counts[machine, default: MachineCounts()].asking += 1
            default: break
            }
        }
        return counts
    }

    /// The live instances by the bytes of their names.
    var sortedInstances: [StoredInstance] {
        instances.values.sorted {
            $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8)
        }
    }
}

extension StoreModel {
    /// Names that are prefixes of each other, differ in case only, and are as long as may be.
    static let names: [String] =
        [
            "a/A", "a/a", "a/a-", "a/a.b", "a/aa", "a/~", "a/@", "a/0", "ab/a", "ab/b", "a.b/a",
            "A/a", "Z/z", "b/" + String(repeating: "x", count: 200), "b/1", "b/10", "b/2",
        ] + (0..<20).map { "c/instance-\($0)" }

    /// A few random operations.
    mutating func change(_ random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let name = StoreModel.names.randomElement(using: &random) ?? "a/a"
            guard instances[name] != nil else {
                create(name, state: StoreModel.bytes(&random))
                continue
            }
            if instances[name]?.isDone == true || Int.random(in: 0..<12, using: &random) == 0 {
                delete(name)
                continue
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                changeEffects(name, &random)
                continue
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                changeJournaled(name, &random)
                continue
            }
            let changes = Bool.random(using: &random)
            let hasKey = Bool.random(using: &random)
            step(
                name, event: StoreModel.bytes(&random),
                state: changes ? StoreModel.bytes(&random) : nil,
                outputs: Int.random(in: 0..<3, using: &random),
                key: hasKey ? Array("key \(head)".utf8) : nil)
        }
    }

    /// Handlers that effects wait for: one name begins another, and one is longer than short.
    static let lanes = ["pay", "payment", "mail", String(repeating: "z", count: 40)]

    /// A random step that starts or ends work for handlers.
    private mutating func changeJournaled(_ name: String, _ random: inout SeededRandom) {
        let number = instances[name]?.number
        let ended = effects.keys.filter { $0.instance == number }.sorted()
            .filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        if let ref = ended.first, Bool.random(using: &random) { return complete(ref) }
        let isLong = Int.random(in: 0..<10, using: &random) == 0
        ask(
            name, lane: StoreModel.lanes.randomElement(using: &random) ?? "pay", ending: ended,
            argument: String(repeating: "b", count: isLong ? 2_000 : 3))
    }

    /// A random change to the effects of an instance: times from a small range, so that there are
    /// ties.
    private mutating func changeEffects(_ name: String, _ random: inout SeededRandom) {
        let number = instances[name]?.number
        let own = effects.keys.filter { $0.instance == number }.sorted()
        let due = Int64.random(in: 1_700_000_000_000...1_700_000_000_020, using: &random)
        let lane = StoreModel.lanes.randomElement(using: &random)
        let isLong = Int.random(in: 0..<10, using: &random) == 0
        let kind = Int.random(in: 0..<5, using: &random)
        guard let ref = own.randomElement(using: &random), kind > 0 else {
            begin(
                name, due: Bool.random(using: &random) ? due : nil,
                lane: Bool.random(using: &random) ? lane : nil,
                reason: isLong ? String(repeating: "long ", count: 4_000) : nil)
            return
        }
        switch kind {
        case 1: end(ref)
        case 2: change(ref, due: due)
        case 3:
            let phase = [StoredEffect.Phase.failed, .asking, .active].randomElement(using: &random)
            change(ref, phase: phase)
        default: change(ref, lane: lane)
        }
        if Bool.random(using: &random) { note(name, [Array(#"{"run":\#(ref.number)}"#.utf8)]) }
    }

    /// Bytes that compress now and then, seldom many.
    static func bytes(_ random: inout SeededRandom) -> [UInt8] {
        let count = Int.random(in: 0..<20, using: &random) == 0 ? 20_000 : 40
        let spread = UInt8.random(in: 0...63, using: &random)
        let size = Int.random(in: 1...count, using: &random)
        return Array(unsafeUninitializedCapacity: size) { bytes, initialized in
            var word: UInt64 = 0
            for index in 0..<size {
                // One number for eight bytes: these were a tenth of the time of the tests.
                if index % 8 == 0 { word = random.next() }
                bytes[index] = UInt8(truncatingIfNeeded: word) % (spread + 1)
                word >>= 8
            }
            initialized = size
        }
    }
}

extension JournalRecord {
    /// Bytes of the step as it is written, before it is compressed.
    var encodedBytes: Int64 {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return Int64(bytes.count)
    }
}
