public import GroveEngine

/// Checks in each commit that the rows which are said to follow from the journal do: a store may
/// write them later, and make them again from the journal after a crash.
public final class RedoCheckingStore: ForwardingStore {
    /// Creates a store in front of `base`.
    public override init(_ base: any Store) { super.init(base) }

    /// Commits, and throws `.corrupt` when a row doesn't follow.
    public override func commit(_ writes: WriteSet) throws(StoreError) {
        var before: [InstanceNumber: StoredInstance] = [:]
        for write in writes.instances where write.followsFromJournal {
            let text = String(decoding: writes.snapshots[write.name], as: UTF8.self)
            guard let name = InstanceName(text), let stored = try base.instance(named: name),
                stored.number == write.number
            else { throw .corrupt("\(text) is new and said to follow from the journal") }
            before[write.number] = stored
        }
        try super.commit(writes)
        let deleted = Set(writes.deletions.map(\.number))
        var entries: [InstanceNumber: [[UInt8]: DedupEntry]] = [:]
        for sequence in writes.firstSequence..<(base.head + 1) {
            guard let record = try base.record(at: sequence) else { continue }
            try before[record.number]?.redo(record)
            if let key = record.dedup, let entry = record.dedupEntry {
                entries[record.number, default: [:]][key] = entry
            }
        }
        for (number, redone) in before where !deleted.contains(number) {
            guard try base.instance(named: redone.name) == redone else {
                throw .corrupt("the snapshot of \(redone.name) doesn't follow from its steps")
            }
        }
        for write in writes.dedups
        where write.followsFromJournal && entries[write.number]?[write.key] != write.entry {
            throw .corrupt("a dedup entry of instance \(write.number.value) doesn't follow")
        }
    }
}
