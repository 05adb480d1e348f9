import GroveEngine

// Planted bugs of an engine or a store. The audit must find each of them.

/// Changes the rows of effects before they are written.
class TamperingStore: SimulatedStore {
    private var count = 0

    /// Returns the row to write; `.some(nil)` removes the row,
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

/// Some rows aren't written.
final class RowDroppingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        number % 40 == 0 && write.row != nil ? nil : .some(write.row)
    }
}

/// Removed rows of ended effects exist again after a restart.
final class RowKeepingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        number % 40 == 0 && write.row == nil ? nil : .some(write.row)
    }
}

/// A planted bug: effects are due a little too early.
final class HastyStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row, let due = row.due else { return .some(write.row) }
        row.due = Timestamp(milliseconds: due.milliseconds - 1)
        return .some(row)
    }
}

/// The child that an effect has started isn't stored.
final class OrphaningStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row else { return .some(nil) }
        row.body.child = nil
        return .some(row)
    }
}

/// A planted bug: the number of attempts isn't stored.
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

/// The rest of a sequence is lost.
final class CuttingStore: TamperingStore {
    override func tamper(_ write: WriteSet.EffectWrite, _ number: Int) -> StoredEffect?? {
        guard var row = write.row, row.body.phase == .sequence else { return .some(write.row) }
        row.body.rest = []
        return .some(row)
    }
}

/// A crash loses acknowledged commits.
final class LosingStore: SimulatedStore {
    private var commits = 0

    override func commit(_ writes: WriteSet) throws(StoreError) {
        commits += 1
        // Only the instances are lost: the journal must stay dense for the run to continue.
        guard commits % 50 == 0 else { return try super.commit(writes) }
        var changed = writes
        changed.instances = []
        try super.commit(changed)
    }
}
