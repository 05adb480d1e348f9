import CSQLite
import GroveAccess
import GroveEngine

extension SQLiteStore {
    /// Writes the journal steps, and the rows that don't follow from them, in one transaction and
    /// returns when it is durable. The transaction also has a share of the rows of earlier commits
    /// (``PendingRows``).
    ///
    /// - Throws: `.full` when the disk is full, `.tooLarge` when a row is larger than
    ///   ``Limits/storedRowBytesMax``; nothing was written and the store continues. Any other error
    ///   ends the store's life: the outcome is unknown until the next start.
    public func commit(_ writes: WriteSet) throws(StoreError) {
        precondition(
            writes.firstSequence == head + 1, "a commit begins after the head of the journal")
        let tables = try tables()
        if writes.isEmpty { return }
        if let failure = logMover?.failure, !failure.isFull { throw failed(failure) }
        try failing { () throws(StoreError) in try pending.makeShare(for: writes) }
        var due = pending.chooseBuckets(for: writes)
        for bucket in pending.bucketsOfLoneEffects(writes)
        where !due.contains(where: { $0 === bucket }) {
            due.append(bucket)
        }
        try failing { () throws(StoreError) in try pending.prepare(due, for: writes) }
        let written = pending.instancesToWrite(writes, writingBack: due)
        let effects = try SQLiteStore.encoded(
            pending.effectsToWrite(writes, of: written, writingBack: due))
        let head = RedoPoint(step: state.head, byte: pending.journalBytes)
        state = try transaction(tables) { (tables) throws(SQLiteFailure) in
            var next = state
            try writeJournal(writes, tables, &next)
            // First, because this commit may write or remove the same rows.
            try writeBack(due, head: head, tables, &next)
            try writeInstances(writes, written, tables, &next)
            var scratch: [UInt8] = []
            for dedup in writes.dedups where !dedup.followsFromJournal {
                try tables.dedup.write(dedup, scratch: &scratch)
            }
            try writeEffects(effects, tables, &next)
            for (subject, hold) in writes.holds {
                try HoldTable.write(hold, on: subject, connection)
                next.holds[subject] = hold
            }
            for change in writes.definitions {
                let (removed, added) = next.definitions.apply(change)
                try DefinitionTable.write(removed: removed, added: added, connection)
            }
            try AccountRows.write(writes.accounts, connection)
            if next.mustWriteCounts(after: state, writes) { try writeCounts(tables, &next) }
            return next
        }
        // Not in `next`: two states would need two copies of the table.
        for row in writes.accounts { state.accounts.apply(row) }
        pending.remove(due)
        pending.add(writes, written: written)
        if !writes.deletions.isEmpty {
            hasGarbage = true
            mayHoldGarbage = true
        }
        counters.commits += 1
        counters.steps += Int64(writes.journalEnds.count)
        counters.dedups += Int64(writes.dedups.count)
        if logMover != nil, connection.pagesInLog < 2 * checkpointPages { return }
        try checkpointIfDue(tables)
    }

    /// Writes `meta` and the counts per machine, within a transaction. Both together, because their
    /// sums must agree.
    func writeCounts(_ tables: Tables, _ next: inout State) throws(SQLiteFailure) {
        next.meta.head = next.head
        try tables.meta.write(next.meta)
        if next.counts.hasChanges { try next.counts.write(try tables.machineCounts()) }
        next.uncountedCreations = 0
    }

    func writeFloor(_ next: inout State) throws(SQLiteFailure) {
        next.floor.counted = next.head
        try FloorTable.write(next.floor, connection)
    }

    /// Writes all floors and updates the store's view of them.
    func writeFloors(_ next: inout State) throws(SQLiteFailure) {
        try writeFloor(&next)
        try next.machines.write(connection)
        next.renewFloors()
    }

    /// Runs `body` in one durable transaction, all or nothing.
    ///
    /// - Throws: `.full` or `.tooLarge` when nothing was written and the store continues; after any
    ///   other error it has failed.
    func transaction<Result>(
        _ tables: Tables, _ body: (Tables) throws(SQLiteFailure) -> Result
    ) throws(StoreError) -> Result {
        precondition(!isInspection, "a file that is inspected is not written to")
        do throws(SQLiteFailure) {
            try tables.begin.run()
            let result = try body(tables)
            try tables.commit.run()
            return result
        } catch {
            throw rolledBack(tables, after: error)
        }
    }

    /// Rolls a transaction back. Returns the error for the caller.
    private func rolledBack(_ tables: Tables, after failure: SQLiteFailure) -> StoreError {
        var error = failure.isTooLarge ? .tooLarge(failure.description) : failure.storeError
        if connection.isInTransaction {
            do throws(SQLiteFailure) { try tables.rollback.run() } catch {
                fail(.inputOutput("a rollback failed: \(error.description)"))
            }
        }
        if connection.isInTransaction {
            error = .inputOutput("a rollback left the transaction open")
        }
        guard error == .full || failure.isTooLarge, !connection.isInTransaction,
            self.failure == nil
        else {
            fail(error)
            return self.failure ?? error
        }
        if error == .full { counters.fullDisk += 1 }
        return error
    }

    private func writeJournal(
        _ writes: WriteSet, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        var chain = next.chain
        var stored: Int64 = 0
        let deflate = deflate
        let compressionMin = options.compressionBytesMin
        try writer.forEachBlock(writes, bytesMax: options.blockBytesMax) {
            (first, count, bytes) throws(SQLiteFailure) in
            let small = bytes.count < compressionMin ? nil : deflate.compress(bytes)
            stored += Int64((small ?? bytes).count)
            chain = try tables.journal.append(
                first: first, count: count, stored: small ?? bytes,
                size: small == nil ? 0 : Int64(bytes.count), chainedTo: chain)
        }
        next.chain = chain
        next.floor.bytes += stored
        next.head += Int64(writes.journalEnds.count)
    }

    /// Deletes first, so that one commit can delete a name and create it again. Then writes
    /// snapshots that can't be written later, in the order of numbers, which is the order of their
    /// pages.
    private func writeInstances(
        _ writes: WriteSet, _ written: Set<InstanceNumber>, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        var deleted: Set<InstanceNumber> = []
        for deletion in writes.deletions {
            try remove(deletion, tables, &next)
            deleted.insert(deletion.number)
        }
        let meta = next.meta
        var created: Int64 = 0
        var last = meta.lastNumber
        for instance in writes.instances where instance.isNew {
            last = max(last, instance.number.value)
        }
        let instances = writes.instances.filter {
            !PendingRows.isPostponed($0) || !written.isEmpty && written.contains($0.number)
        }
        var counts = next.counts
        try writes.snapshots.withUnsafeBufferPointer { (pool) throws(SQLiteFailure) in
            let pool = UnsafeRawBufferPointer(pool)
            for instance in instances.sorted(by: { $0.number < $1.number }) {
                if !deleted.isEmpty, deleted.contains(instance.number) { continue }
                let name = UnsafeRawBufferPointer(rebasing: pool[instance.name])
                let snapshot = UnsafeRawBufferPointer(rebasing: pool[instance.snapshot])
                try count(instance, name, snapshot, tables, &counts)
                let content = content(snapshot)
                if instance.isNew {
                    created += 1
                    try tables.instances.insert(instance.number, name: name, content)
                } else {
                    try tables.instances.update(instance.number, name: name, content)
                }
            }
        }
        next.counts = counts
        next.meta.instances += created
        next.uncountedCreations += created
        next.meta.lastNumber = max(next.meta.lastNumber, last)
    }

    /// Counts a written instance: a new one, and one that is done now.
    private func count(
        _ instance: WriteSet.InstanceWrite, _ name: UnsafeRawBufferPointer,
        _ snapshot: UnsafeRawBufferPointer, _ tables: Tables, _ counts: inout MachineCountRows
    ) throws(SQLiteFailure) {
        let isDone = InstanceTable.Heading.isDone(snapshot)
        if instance.isNew {
            let machine = InstanceTable.Heading.machine(name)
            counts.addInstance(1, isDone: isDone, of: machine)
        } else if isDone, try tables.instances.heading(of: instance.number)?.isDone == false {
            // A row that is behind is never done: the step that ends an instance writes it.
            counts.addDone(of: InstanceTable.Heading.machine(name))
        }
    }

    private func remove(
        _ deletion: WriteSet.Deletion, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        if let heading = try tables.instances.heading(of: deletion.number) {
            next.counts.addInstance(-1, isDone: heading.isDone, of: heading.machine)
        }
        if try tables.instances.remove(deletion.number) {
            next.meta.instances -= 1
        } else if deletion.number.value <= state.meta.lastNumber {
            throw .corrupt("the row of deleted instance \(deletion.number.value) is missing")
        }
        // An instance created in this commit has no row, but its number is used.
        next.meta.lastNumber = max(next.meta.lastNumber, deletion.number.value)
        try tables.garbage.write(deletion)
    }
}
