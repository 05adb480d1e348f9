import GroveEngine

// Effects whose rows are behind the journal. None of them has a row in `effects`: a change to one
// that has is written with its commit, and so is then the row of its instance. So the rows of an
// instance, of its effects too, are of one step, and those after it say what has changed since.

extension PendingRows {
    // MARK: Reading

    /// The effect, if it has no row yet.
    ///
    /// - Throws: `.corrupt` when the rows of its instance can't be made from the journal.
    func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? {
        try madeSoundly(ref.instance)?.effect(ref)
    }

    /// The effects of an instance that have no row yet, in the order of their numbers.
    ///
    /// - Throws: As ``effect(_:)``.
    func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try madeSoundly(number)?.effects(of: number) ?? []
    }

    /// Up to `limit` effects without rows after `after`, in the order of refs.
    func effects(after: EffectRef?, limit: Int) throws(StoreError) -> [StoredEffect] {
        var found: [StoredEffect] = []
        for bucket in try effectBuckets(from: after?.instance) {
            for row in bucket.effects where after.map({ $0 < row.ref }) ?? true {
                guard found.count < limit else { return found }
                found.append(row)
            }
        }
        return found
    }

    /// Up to `limit` effects without rows after `after` that wait for a handler, in the order of
    /// refs.
    func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        var found: [EffectRef] = []
        for bucket in try effectBuckets(from: after?.instance) {
            for row in bucket.effects
            where row.handlerQueue == queue && (after.map { $0 < row.ref } ?? true) {
                guard found.count < limit else { return found }
                found.append(row.ref)
            }
        }
        return found
    }

    /// The handlers that effects without rows wait for.
    func handlerQueues() throws(StoreError) -> Set<String> {
        var found: Set<String> = []
        for bucket in try effectBuckets(from: nil) {
            for row in bucket.effects {
                if let queue = row.handlerQueue { found.insert(queue) }
            }
        }
        return found
    }

    // MARK: A commit

    /// The buckets of instances of which a commit changes effects, and not their own rows. They are
    /// written back with it, because both rows must be of one step.
    func bucketsOfLoneEffects(_ writes: WriteSet) -> [RowBucket] {
        let lone = writes.effects.filter { !$0.followsFromJournal }
        guard !lone.isEmpty else { return [] }
        let changed = Set(writes.instances.map(\.number))
        var found: [RowBucket] = []
        for write in lone where !changed.contains(write.ref.instance) {
            if let bucket = bucket(of: write.ref.instance), !contains(found, bucket) {
                found.append(bucket)
            }
        }
        return found
    }

    /// The instances whose rows a commit writes, of their effects too, and doesn't leave for later.
    /// Empty if neither the commit nor a row that is behind is about an effect: then
    /// ``isPostponed(_:)`` says it of each instance.
    ///
    /// - Parameter chosen: The buckets that the commit writes back. Their effects have rows then.
    func instancesToWrite(
        _ writes: borrowing WriteSet, writingBack chosen: [RowBucket]
    ) -> Set<InstanceNumber> {
        guard !writes.effects.isEmpty || effectCount > 0 else { return [] }
        var written: Set<InstanceNumber> = []
        for instance in writes.instances where !Self.isPostponed(instance) {
            written.insert(instance.number)
        }
        for deletion in writes.deletions { written.insert(deletion.number) }
        for write in writes.effects {
            let isBehind = write.followsFromJournal && (write.isNew || hasNoRow(write.ref, chosen))
            if !isBehind { written.insert(write.ref.instance) }
        }
        return written
    }

    /// The rows of effects that a commit writes and removes, in the order of refs, which is the
    /// order of their pages: those that it changes, and those of the instances written that are
    /// behind.
    func effectsToWrite(
        _ writes: borrowing WriteSet, of written: Set<InstanceNumber>,
        writingBack chosen: [RowBucket]
    ) -> [WriteSet.EffectWrite] {
        guard !written.isEmpty else { return [] }
        var effects: [WriteSet.EffectWrite] = []
        for var write in writes.effects where written.contains(write.ref.instance) {
            if hasNoRow(write.ref, chosen) { write.isNew = true }
            if write.row != nil || !write.isNew { effects.append(write) }
        }
        if effectCount > 0 {
            for number in written {
                guard let bucket = bucketOfEffects(number), !contains(chosen, bucket) else {
                    continue
                }
                for row in bucket.effects(of: number) where writes.effect(row.ref) == nil {
                    effects.append(
                        WriteSet.EffectWrite(ref: row.ref, row: row, isNew: true))
                }
            }
        }
        effects.sort { $0.ref < $1.ref }
        return effects
    }

    /// Whether an effect is behind, and stays so when these buckets are written back.
    private func hasNoRow(_ ref: EffectRef, _ chosen: [RowBucket]) -> Bool {
        guard effectCount > 0, let bucket = bucketOfEffects(ref.instance),
            bucket.effect(ref) != nil
        else { return false }
        return !contains(chosen, bucket)
    }

    private func contains(_ chosen: [RowBucket], _ bucket: RowBucket) -> Bool {
        chosen.contains { $0 === bucket }
    }
}
