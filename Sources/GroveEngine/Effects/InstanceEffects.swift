import Transducers

/// The effects of one instance in memory: their rows, and the ledger of those that are live.
/// Confined to the engine.
final class InstanceEffects {
    /// The bytes of the object, about, without what it points to.
    static let objectBytes = 256

    // Unchecked: only the functions here change these, and none of them calls code that could do
    // so at the same time. A step would pay for thirty checks that find nothing.

    /// All rows, by effect number.
    @exclusivity(unchecked) private(set) var rows: [Int64: StoredEffect] = [:]
    /// The numbers of all rows in order, and of some removed ones. Numbers grow, so new ones come
    /// last.
    @exclusivity(unchecked) private var numbers: [Int64] = []
    /// The numbers of failed effects, in order.
    @exclusivity(unchecked) private(set) var failed: [Int64] = []
    /// The numbers of rows that have a name, by name (``HostedKey/text``); `nil` until a name is
    /// looked up, because most instances cancel no effect by its name.
    @exclusivity(unchecked) private var named: [String: Set<Int64>]?
    /// About how many bytes all rows have.
    @exclusivity(unchecked) private(set) var bytes = 0
    /// About how many bytes the rows of failed effects have.
    @exclusivity(unchecked) private(set) var failedBytes = 0
    /// Decides what starts, waits and is dropped. Has the effects in live phases.
    var ledger: EffectLedger
    let instance: InstanceNumber
    /// The numbers of rows to write, in the order of their first change.
    @exclusivity(unchecked) private var changed: [Int64] = []
    /// The same numbers, once they are more than ``Limits/unindexedChangesMax``.
    @exclusivity(unchecked) private var changedSet: Set<Int64> = []
    /// The last effect number before the batch under way. Effects with higher ones began in it.
    @exclusivity(unchecked) private var lastCommitted: Int64

    /// The effects of an instance as a store has them.
    init(_ rows: [StoredEffect], of instance: InstanceNumber, lastNumber: Int64) {
        self.instance = instance
        lastCommitted = lastNumber
        var live: [EffectLedger.Run] = []
        for var row in rows.sorted(by: { $0.ref < $1.ref }) {
            row.weigh()
            let number = row.ref.number
            self.rows[number] = row
            numbers.append(number)
            bytes += row.weight
            if row.body.phase == .failed {
                failed.append(number)
                failedBytes += row.weight
            }
            guard row.body.phase.isInLedger, let run = row.body.run else { continue }
            live.append(
                EffectLedger.Run(
                    id: row.ref.ledgerID, key: run.key.ledgerKey,
                    queue: run.queue.map { QueueKey($0) }, rank: run.rank,
                    isWaiting: row.body.phase == .waiting))
        }
        ledger = EffectLedger(restoring: live, lastNumber: lastNumber)
    }

    private init(_ other: InstanceEffects) {
        rows = other.rows
        numbers = other.numbers
        failed = other.failed
        named = other.named
        bytes = other.bytes
        failedBytes = other.failedBytes
        ledger = other.ledger
        instance = other.instance
        changed = other.changed
        changedSet = other.changedSet
        lastCommitted = other.lastCommitted
    }

    func copy() -> InstanceEffects { InstanceEffects(self) }

    subscript(number: Int64) -> StoredEffect? { rows[number] }

    func ref(_ number: Int64) -> EffectRef { EffectRef(instance: instance, number: number) }

    /// Changes a row. A sleeping effect that gets another time or handler wakes.
    func put(_ row: StoredEffect) {
        var row = row
        if row.body.asleep != nil, row.due != nil || row.handlerQueue?.asleepFor == nil {
            row.body.asleep = nil
            if row.handlerQueue?.asleepFor != nil { row.handlerQueue = nil }
        }
        row.weigh()
        let number = row.ref.number
        let old = rows.updateValue(row, forKey: number)
        bytes += row.weight - (old?.weight ?? 0)
        if old == nil {
            insert(number, into: &numbers)
            // Another name comes only by `rename`.
            if named != nil, let name = row.name { named?[name, default: []].insert(number) }
        }
        countFailure(number, from: old, to: row)
        markChanged(number)
    }

    /// Gives a row another name, and other work.
    func rename(_ number: Int64, to key: HostedKey, work: HostedRun.Work) {
        guard var row = rows[number] else { return }
        // Made again when a name is looked up.
        named = nil
        row.body.run?.key = key
        row.body.run?.work = work
        put(row)
        ledger.rename(row.ref.ledgerID, to: key.ledgerKey)
    }

    /// Gives a name with types to the live effects that have it without: an earlier version has
    /// stored these, and the name's policy is for them too.
    func adopt(_ key: HostedKey) {
        let untyped = key.untyped
        guard let text = key.text, ledger.isLive(untyped.ledgerKey) else { return }
        for number in numbers(named: text) {
            guard let row = rows[number], let run = row.body.run, run.key == untyped,
                row.body.phase.isInLedger
            else { continue }
            rename(number, to: key, work: run.work)
        }
    }

    func remove(_ number: Int64) {
        let old = rows.removeValue(forKey: number)
        bytes -= old?.weight ?? 0
        countFailure(number, from: old, to: nil)
        if named != nil, let name = old?.name {
            named?[name]?.remove(number)
            if named?[name]?.isEmpty == true { named?[name] = nil }
        }
        if numbers.count > 2 * rows.count + 16 { numbers.removeAll { rows[$0] == nil } }
        markChanged(number)
    }

    /// Keeps ``failed`` and ``failedBytes``. The failed are few, because older ones are removed.
    private func countFailure(_ number: Int64, from old: StoredEffect?, to new: StoredEffect?) {
        let (before, after) = (old?.failure, new?.failure)
        guard before != nil || after != nil else { return }
        failedBytes += (after?.weight ?? 0) - (before?.weight ?? 0)
        if before == nil, after != nil { insert(number, into: &failed) }
        if before != nil, after == nil { failed.removeAll { $0 == number } }
    }

    /// Removes the oldest failed effects beyond ``Limits/keptFailuresMax`` and
    /// ``Limits/keptFailureBytesMax``. The newest one stays in any case.
    func expireFailures() {
        while failed.count > Limits.keptFailuresMax
            || failed.count > 1 && failedBytes > Limits.keptFailureBytesMax
        {
            remove(failed[0])
        }
    }

    private func insert(_ number: Int64, into list: inout [Int64]) {
        var (low, high) = (0, list.count)
        // Nearly always after the last one.
        if let last = list.last, last < number { low = high }
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < number { low = middle + 1 } else { high = middle }
        }
        if low == list.count || list[low] != number { list.insert(number, at: low) }
    }

    /// The numbers of the rows that have a name (``HostedKey/text``), in order.
    func numbers(named name: String) -> [Int64] {
        if named == nil {
            var found: [String: Set<Int64>] = [:]
            for (number, row) in rows {
                if let name = row.name { found[name, default: []].insert(number) }
            }
            named = found
        }
        return named?[name]?.sorted() ?? []
    }

    private func markChanged(_ number: Int64) {
        if changed.count < Limits.unindexedChangesMax {
            if !changed.contains(number) { changed.append(number) }
            return
        }
        if changedSet.isEmpty { changedSet = Set(changed) }
        if changedSet.insert(number).inserted { changed.append(number) }
    }

    var hasChanges: Bool { !changed.isEmpty }

    /// The changed rows, if all of them can be made from the journal.
    var journaledChanges: JournaledEffects? {
        guard changed.count <= Limits.journaledEffectsMax else { return nil }
        var journaled = JournaledEffects(
            lastNumber: ledger.lastNumber, count: Int64(rows.count))
        journaled.changes.reserveCapacity(changed.count)
        for number in changed {
            let row = rows[number]
            guard row?.canBeJournaled ?? true else { return nil }
            journaled.changes.append(JournaledEffects.Change(ref: ref(number), row: row))
        }
        return journaled
    }

    /// Removes the changed rows, and passes each to `body`.
    func removeChanges(_ body: (StoredEffect?, EffectRef, _ isNew: Bool) -> Void) {
        for number in changed { body(rows[number], ref(number), number > lastCommitted) }
        changed.removeAll(keepingCapacity: changed.count <= Limits.unindexedChangesMax)
        if !changedSet.isEmpty { changedSet.removeAll() }
    }

    func endBatch() { lastCommitted = ledger.lastNumber }

    /// The rows in the order of their numbers, read lazily.
    var sorted: some Sequence<StoredEffect> {
        let rows = rows
        return numbers.lazy.compactMap { rows[$0] }
    }
}

extension StoredEffect {
    fileprivate var name: String? { body.run?.key.text }

    /// The effect itself, if it has failed.
    fileprivate var failure: StoredEffect? { body.phase == .failed ? self : nil }
}

extension StoredEffect.Phase {
    var isInLedger: Bool {
        switch self {
        case .waiting, .sleeping, .active, .asking, .child, .delivering: true
        case .sequence, .stopping, .failed, .completed: false
        }
    }
}
