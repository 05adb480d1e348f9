import Transducers

/// The live effects of one instance in memory: their rows, and the ledger that says which of them
/// run and which wait. Confined to the engine.
final class InstanceEffects {
    /// Every row, by run.
    private(set) var rows: [Int64: StoredEffect] = [:]
    /// The runs of all rows in their order, and of some that are gone. Runs begin in the order of
    /// their numbers, so that new ones come last.
    private var runs: [Int64] = []
    /// The runs of those that have failed for good, in their order.
    private(set) var failed: [Int64] = []
    /// The runs of all rows that have a name, by that (``HostedKey/text``).
    private var named: [String: Set<Int64>] = [:]
    /// About how many bytes all rows have.
    private(set) var bytes = 0
    /// About how many bytes the rows of those have that have failed for good.
    private(set) var failedBytes = 0
    /// Decides what starts, waits and is dropped; has the runs in the phases that are live.
    var ledger: EffectLedger<Void>
    private let number: InstanceNumber
    /// Rows that are to be written, in the order in which they changed first.
    private var changed: [Int64] = []
    private var changedSet: Set<Int64> = []
    /// Runs that have begun in the batch which is not committed yet.
    private var born: Set<Int64> = []

    /// The effects that a store holds of an instance.
    init(_ rows: [StoredEffect], of number: InstanceNumber, lastEffectNumber: Int64) {
        self.number = number
        var live: [EffectLedger<Void>.Run] = []
        for row in rows.sorted(by: { $0.ref < $1.ref }) {
            self.rows[row.ref.number] = row
            runs.append(row.ref.number)
            bytes += row.weight
            if row.body.phase == .failed {
                failed.append(row.ref.number)
                failedBytes += row.weight
            }
            if let name = row.name { named[name, default: []].insert(row.ref.number) }
            guard row.body.phase.isInLedger, let run = row.body.run else { continue }
            live.append(
                EffectLedger<Void>.Run(
                    id: row.ref.ledgerID, key: run.key.ledgerKey,
                    queue: run.queue.map { QueueKey($0) }, rank: run.rank, payload: (),
                    isWaiting: row.body.phase == .waiting))
        }
        ledger = EffectLedger(restoring: live, lastNumber: lastEffectNumber)
    }

    private init(_ other: InstanceEffects) {
        rows = other.rows
        runs = other.runs
        failed = other.failed
        named = other.named
        bytes = other.bytes
        failedBytes = other.failedBytes
        ledger = other.ledger
        number = other.number
        changed = other.changed
        changedSet = other.changedSet
        born = other.born
    }

    /// Another object with the same effects.
    func copy() -> InstanceEffects { InstanceEffects(self) }

    subscript(run: Int64) -> StoredEffect? { rows[run] }

    func ref(_ run: Int64) -> EffectRef { EffectRef(instance: number, number: run) }

    /// Adds a row that this batch begins.
    func add(_ row: StoredEffect) {
        born.insert(row.ref.number)
        put(row)
    }

    /// Changes a row. One that got another time or handler than that of sleepers is awake.
    func put(_ row: StoredEffect) {
        var row = row
        if row.body.asleep != nil, row.due != nil || row.handlerQueue?.asleepFor == nil {
            row.body.asleep = nil
            if row.handlerQueue?.asleepFor != nil { row.handlerQueue = nil }
        }
        keep(row)
        touch(row.ref.number)
    }

    private func keep(_ row: StoredEffect) {
        let run = row.ref.number
        let old = rows.updateValue(row, forKey: run)
        bytes += row.weight - (old?.weight ?? 0)
        if old == nil {
            insert(run, into: &runs)
            // It stays the same as long as there is the row.
            if let name = row.name { named[name, default: []].insert(run) }
        }
        note(run, from: old, to: row)
    }

    /// Removes a row.
    func remove(_ run: Int64) {
        let old = rows.removeValue(forKey: run)
        bytes -= old?.weight ?? 0
        note(run, from: old, to: nil)
        if let name = old?.name {
            named[name]?.remove(run)
            if named[name]?.isEmpty == true { named[name] = nil }
        }
        if runs.count > 2 * rows.count + 16 { runs.removeAll { rows[$0] == nil } }
        touch(run)
    }

    /// Keeps account of those that have failed: few, because older ones make room.
    private func note(_ run: Int64, from old: StoredEffect?, to new: StoredEffect?) {
        let (before, after) = (old?.failure, new?.failure)
        failedBytes += (after?.weight ?? 0) - (before?.weight ?? 0)
        if before == nil, after != nil { insert(run, into: &failed) }
        if before != nil, after == nil { failed.removeAll { $0 == run } }
    }

    /// Removes the oldest of those that have failed for good, until the others are as few, and have
    /// as few bytes, as are kept.
    func forgetOldFailures() {
        while failed.count > Limits.keptFailuresMax
            || failed.count > 1 && failedBytes > Limits.keptFailureBytesMax
        {
            remove(failed[0])
        }
    }

    private func insert(_ run: Int64, into list: inout [Int64]) {
        var (low, high) = (0, list.count)
        // Nearly always behind the last one.
        if let last = list.last, last < run { low = high }
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < run { low = middle + 1 } else { high = middle }
        }
        if low == list.count || list[low] != run { list.insert(run, at: low) }
    }

    /// The runs of the rows that have a name (``HostedKey/text``), in their order.
    func runs(named name: String) -> [Int64] { named[name]?.sorted() ?? [] }

    private func touch(_ run: Int64) {
        if changedSet.insert(run).inserted { changed.append(run) }
    }

    /// Whether there is something to write.
    var hasChanges: Bool { !changed.isEmpty }

    /// Hands out what is to be written.
    func takeChanges(_ body: (StoredEffect?, EffectRef, _ isNew: Bool) -> Void) {
        for run in changed { body(rows[run], ref(run), born.contains(run)) }
        changed.removeAll()
        changedSet.removeAll()
    }

    /// What has begun is committed.
    func endBatch() { born.removeAll() }

    /// The rows in the order of their runs, made as they are asked for.
    var sorted: some Sequence<StoredEffect> {
        let rows = rows
        return runs.lazy.compactMap { rows[$0] }
    }
}

extension StoredEffect {
    /// The effect's name, if it has one.
    fileprivate var name: String? { body.run?.key.text }

    /// The same, if it has failed for good.
    fileprivate var failure: StoredEffect? { body.phase == .failed ? self : nil }
}

extension StoredEffect.Phase {
    /// Whether the ledger knows of the effect.
    var isInLedger: Bool {
        switch self {
        case .waiting, .sleeping, .active, .asking, .child, .delivering: true
        case .sequence, .stopping, .failed, .completed: false
        }
    }
}
