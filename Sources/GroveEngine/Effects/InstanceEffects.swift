import Transducers

/// The live effects of one instance in memory: their rows, and the ledger that says which of them
/// run and which wait. Confined to the engine.
final class InstanceEffects {
    /// Every row, by run.
    private(set) var rows: [Int64: StoredEffect] = [:]
    /// Decides what starts, waits and is dropped; has the runs in the phases that are live.
    var ledger: EffectLedger<Void>
    private let number: InstanceNumber
    /// Rows that are to be written, in the order in which they changed first.
    private var changed: [Int64] = []
    private var changedSet: Set<Int64> = []
    /// Runs that have begun in the batch which is not committed yet.
    private var born: Set<Int64> = []

    /// The effects that a store holds of an instance.
    init(_ rows: [StoredEffect], of number: InstanceNumber, lastRun: Int64) {
        self.number = number
        var runs: [EffectLedger<Void>.Run] = []
        for row in rows {
            self.rows[row.ref.run] = row
            guard row.body.phase.isInLedger, let run = row.body.run else { continue }
            runs.append(
                EffectLedger<Void>.Run(
                    id: EffectRunID(UInt64(row.ref.run)), key: run.key.ledgerKey,
                    queue: run.queue.map { QueueKey($0) }, rank: run.rank, payload: (),
                    isWaiting: row.body.phase == .waiting))
        }
        ledger = EffectLedger(restoring: runs, lastNumber: lastRun)
    }

    private init(_ other: InstanceEffects) {
        rows = other.rows
        ledger = other.ledger
        number = other.number
        changed = other.changed
        changedSet = other.changedSet
        born = other.born
    }

    /// Another object with the same effects.
    func copy() -> InstanceEffects { InstanceEffects(self) }

    subscript(run: Int64) -> StoredEffect? { rows[run] }

    func ref(_ run: Int64) -> EffectRef { EffectRef(number: number, run: run) }

    /// Adds a row that this batch begins.
    func add(_ row: StoredEffect) {
        born.insert(row.ref.run)
        put(row)
    }

    /// Changes a row.
    func put(_ row: StoredEffect) {
        rows[row.ref.run] = row
        touch(row.ref.run)
    }

    /// Removes a row.
    func remove(_ run: Int64) {
        rows[run] = nil
        touch(run)
    }

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

    /// The rows in the order of their runs.
    var sorted: [StoredEffect] { rows.values.sorted { $0.ref < $1.ref } }
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
