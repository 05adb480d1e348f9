public import GroveEngine

/// Checks in each commit that the rows which are said to follow from the journal do: a store may
/// write them later, and make them again from the journal after a crash.
public final class RedoCheckingStore: ForwardingStore {
    /// Creates a store in front of `base`.
    public override init(_ base: any Store) { super.init(base) }

    /// Commits, and throws `.corrupt` when a row doesn't follow.
    public override func commit(_ writes: WriteSet) throws(StoreError) {
        var before: [InstanceNumber: StoredInstance] = [:]
        var effects: [InstanceNumber: [EffectRef: StoredEffect]] = [:]
        for write in writes.instances where write.followsFromJournal {
            let text = String(decoding: writes.snapshots[write.name], as: UTF8.self)
            guard let name = InstanceName(text), let stored = try base.instance(named: name),
                stored.number == write.number
            else { throw .corrupt("\(text) is new and said to follow from the journal") }
            before[write.number] = stored
            if stored.effectCount > 0 {
                for row in try base.effects(of: write.number) {
                    effects[write.number, default: [:]][row.ref] = row
                }
            }
        }
        for write in writes.effects
        where !write.followsFromJournal && before[write.ref.instance] != nil {
            throw .corrupt("effect \(write.ref.number) of an instance is not in its journal")
        }
        var created = Set(writes.instances.lazy.filter(\.isNew).map(\.number))
        try super.commit(writes)
        let deleted = Set(writes.deletions.map(\.number))
        var entries: [InstanceNumber: [[UInt8]: DedupEntry]] = [:]
        for sequence in writes.firstSequence..<(base.head + 1) {
            guard let record = try base.record(at: sequence) else { continue }
            created.remove(record.number)
            for change in try before[record.number]?.redo(record)?.encoded ?? [] {
                let row = try change.row(of: record.name?.text ?? "")
                effects[record.number, default: [:]][change.ref] = row
            }
            if let key = record.dedup, let entry = record.dedupEntry {
                entries[record.number, default: [:]][key] = entry
            }
        }
        if let number = created.subtracting(deleted).first {
            throw .corrupt("instance \(number.value) is created without a step")
        }
        for (number, redone) in before where !deleted.contains(number) {
            guard try base.instance(named: redone.name) == redone else {
                throw .corrupt("the snapshot of \(redone.name) doesn't follow from its steps")
            }
            let rows = (effects[number] ?? [:]).values.sorted { $0.ref < $1.ref }
            guard try base.effects(of: number) == rows, rows.count == redone.effectCount else {
                throw .corrupt("the effects of \(redone.name) don't follow from its steps")
            }
        }
        for write in writes.dedups
        where write.followsFromJournal && entries[write.number]?[write.key] != write.entry {
            throw .corrupt("a dedup entry of instance \(write.number.value) doesn't follow")
        }
    }
}
