import GroveEngine

// Planted bugs: each is one that an engine or a store could have, and that the audit has to see.

/// Changes what is written of effects.
class TamperingStore: SimulatedStore {
    private var count = 0

    /// What is written instead of a row, or of the removal that `nil` is; `.some(nil)` removes,
    /// `nil` writes nothing.
    func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        .some(write.row)
    }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        var changed = WriteSet(firstSequence: writes.firstSequence)
        changed.journal = writes.journal
        changed.journalEnds = writes.journalEnds
        changed.snapshots = writes.snapshots
        changed.instances = writes.instances
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

/// Now and then a row isn't written.
final class RowDroppingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        number % 40 == 0 && write.row != nil ? nil : .some(write.row)
    }
}

/// Rows of effects that are over come back with the next start.
final class RowKeepingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        number % 40 == 0 && write.row == nil ? nil : .some(write.row)
    }
}

/// A planted bug: due effects are due a little too early.
final class HastyStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row, let due = row.due else { return .some(write.row) }
        row.due = Timestamp(milliseconds: due.milliseconds - 1)
        return .some(row)
    }
}

/// Which child an effect has started isn't kept.
final class OrphaningStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row else { return .some(nil) }
        row.body.child = nil
        return .some(row)
    }
}

/// A planted bug: the number of attempts isn't kept.
final class ForgetfulOfTriesStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row else { return .some(nil) }
        row.body.failures = 0
        return .some(row)
    }
}

/// A planted bug: the number of applied results isn't kept.
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

/// The rest of a sequence is lost.
final class CuttingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row, row.body.phase == .sequence else { return .some(write.row) }
        row.body.rest = []
        return .some(row)
    }
}

/// A crash undoes commits that were told of.
final class LosingStore: SimulatedStore {
    private var commits = 0

    override func commit(_ writes: WriteSet) throws(StoreError) {
        commits += 1
        // Its instances only: the journal has to stay dense for the run to go on.
        guard commits % 50 == 0 else { return try super.commit(writes) }
        var changed = writes
        changed.instances = []
        try super.commit(changed)
    }
}
