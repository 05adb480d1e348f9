import GroveEngine

// Planted bugs: an engine or a store could have each of them, and the audit must find each.

/// Changes the effect rows that are written.
class TamperingStore: SimulatedStore {
    private var count = 0

    /// Returns the row to write instead of the given one, where a `nil` row removes it.
    /// `.some(nil)` removes the row, and `nil` writes nothing.
    func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        .some(write.row)
    }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        var changed = WriteSet(firstSequence: writes.firstSequence)
        changed.journal = writes.journal
        changed.journalEnds = writes.journalEnds
        changed.snapshots = writes.snapshots
        changed.instances = writes.uncheckedInstances
        changed.dedups = writes.dedups
        changed.deletions = writes.deletions
        for write in writes.effects {
            count += 1
            guard let row = tamper(write, count) else { continue }
            changed.write(row, of: write.ref, isNew: write.isNew)
        }
        try super.commit(changed)
    }
}

/// A planted bug: some rows aren't written.
final class RowDroppingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        number % 40 == 0 && write.row != nil ? nil : .some(write.row)
    }
}

/// A planted bug: some rows of ended effects aren't removed, so they are back after a restart.
final class RowKeepingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        number % 40 == 0 && write.row == nil ? nil : .some(write.row)
    }
}

/// A planted bug: due times are a little too early.
final class HastyStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row, let due = row.due else { return .some(write.row) }
        row.due = Timestamp(milliseconds: due.milliseconds - 1)
        return .some(row)
    }
}

/// A planted bug: the child that an effect has started isn't stored.
final class OrphaningStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row else { return .some(nil) }
        row.body.child = nil
        return .some(row)
    }
}

/// A planted bug: the number of failed attempts isn't stored.
final class ForgetfulOfTriesStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row else { return .some(nil) }
        row.body.failures = 0
        return .some(row)
    }
}

/// A planted bug: the number of applied results isn't stored.
final class RepeatingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row else { return .some(nil) }
        row.body.delivered = 0
        return .some(row)
    }
}

/// A planted bug: waiting effects in a queue count as running.
final class ImpatientStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row, row.body.phase == .waiting else { return .some(write.row) }
        row.body.phase = .sleeping
        row.due = Timestamp(milliseconds: row.body.asked)
        return .some(row)
    }
}

/// A planted bug: the remaining parts of a sequence are lost.
final class CuttingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row, row.body.phase == .sequence else { return .some(write.row) }
        row.body.rest = []
        return .some(row)
    }
}

/// A planted bug: some acknowledged changes of instances aren't written.
final class LosingStore: SimulatedStore {
    private var commits = 0

    override func commit(_ writes: WriteSet) throws(StoreError) {
        commits += 1
        // Loses instances only: the run needs a journal without holes.
        var changed = writes
        changed.instances = commits % 50 == 0 ? [] : writes.uncheckedInstances
        try super.commit(changed)
    }
}

extension WriteSet {
    /// The instances without a check by `RedoCheckingStore`, which would find these bugs first.
    fileprivate var uncheckedInstances: [InstanceWrite] {
        instances.map { write in
            var write = write
            write.followsFromJournal = false
            return write
        }
    }
}
