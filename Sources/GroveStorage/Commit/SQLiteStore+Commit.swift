import CSQLite
import GroveEngine

extension SQLiteStore {
    /// Writes everything in one transaction and returns when it is durable.
    ///
    /// - Throws: `.full` when the disk is full, `.tooLarge` when a row is larger than
    ///   ``Limits/storedRowBytesMax``, and nothing was written; the store goes on.
    ///   Everything else ends its life: the outcome is open until the next start.
    public func commit(_ writes: WriteSet) throws(StoreError) {
        precondition(
            writes.firstSequence == head + 1, "a commit begins behind the head of the journal")
        let tables = try tables()
        if writes.isEmpty { return }
        let effects = try SQLiteStore.encodedEffects(writes)
        state = try transaction(tables) { (tables) throws(SQLiteFailure) in
            var next = state
            try writeJournal(writes, tables, &next)
            try writeInstances(writes, tables, &next)
            var scratch: [UInt8] = []
            for dedup in writes.dedups { try tables.dedup.write(dedup, scratch: &scratch) }
            try writeEffects(effects, tables, &next)
            for (subject, hold) in writes.holds {
                try HoldTable.write(hold, on: subject, connection)
                next.holds[subject] = hold
            }
            if next.meta != state.meta { try writeMeta(tables, &next) }
            return next
        }
        if !writes.deletions.isEmpty {
            hasGarbage = true
            mayHoldGarbage = true
        }
        counters.commits += 1
        counters.steps += Int64(writes.journalEnds.count)
        counters.dedups += Int64(writes.dedups.count)
        if options.postponesCheckpoints, connection.pagesInLog < 2 * checkpointPages { return }
        try checkpointIfDue(tables)
    }

    /// Moves the write-ahead log into the data file, if it is large enough.
    public func checkpoint() throws(StoreError) { try checkpointIfDue(try tables()) }

    private func writeMeta(_ tables: Tables, _ next: inout State) throws(SQLiteFailure) {
        next.meta.head = next.head
        try tables.meta.write(next.meta)
    }

    func writeFloor(_ next: inout State) throws(SQLiteFailure) {
        next.floor.counted = next.head
        try FloorTable.write(next.floor, connection)
    }

    /// The same with the floors of machines, after which what is held is known anew.
    func writeFloors(_ next: inout State) throws(SQLiteFailure) {
        try writeFloor(&next)
        try next.machines.write(connection)
        next.renewFloors()
    }

    /// Runs `body` in one durable transaction, all of it or nothing.
    ///
    /// - Throws: `.full` or `.tooLarge` when nothing was written and the store goes on; else the
    ///   store is dead.
    func transaction<Result>(
        _ tables: Tables, _ body: (Tables) throws(SQLiteFailure) -> Result
    ) throws(StoreError) -> Result {
        precondition(!isInspection, "a file that is looked at is not written to")
        do throws(SQLiteFailure) {
            try tables.begin.run()
            let result = try body(tables)
            try tables.commit.run()
            return result
        } catch {
            throw rolledBack(tables, after: error)
        }
    }

    /// Undoes a transaction; what to tell the caller.
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

    /// Deletions first, so that a name can be deleted and created anew in one commit; then
    /// snapshots in the order of numbers, which is the order of their pages.
    private func writeInstances(
        _ writes: WriteSet, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        var deleted: Set<InstanceNumber> = []
        for deletion in writes.deletions {
            try remove(deletion, tables, &next)
            deleted.insert(deletion.number)
        }
        let instances = writes.instances
        let order = SQLiteStore.orderByNumber(instances)
        let meta = next.meta
        var created: Int64 = 0
        var last = meta.lastNumber
        try writes.snapshots.withUnsafeBufferPointer { (pool) throws(SQLiteFailure) in
            let pool = UnsafeRawBufferPointer(pool)
            for place in 0..<instances.count {
                let instance = instances[order?[place] ?? place]
                if instance.isNew { last = max(last, instance.number.value) }
                if !deleted.isEmpty, deleted.contains(instance.number) { continue }
                if instance.isNew { created += 1 }
                let plain = UnsafeRawBufferPointer(rebasing: pool[instance.snapshot])
                let small =
                    plain.count < options.compressionBytesMin ? nil : deflate.compress(plain)
                try tables.instances.write(
                    instance, name: UnsafeRawBufferPointer(rebasing: pool[instance.name]),
                    stored: small ?? plain, size: small == nil ? 0 : Int64(plain.count))
            }
        }
        next.meta.instances += created
        next.meta.lastNumber = max(next.meta.lastNumber, last)
    }

    private func remove(
        _ deletion: WriteSet.Deletion, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        if try tables.instances.remove(deletion.number) {
            next.meta.instances -= 1
        } else if deletion.number.value <= state.meta.lastNumber {
            throw SQLiteFailure(
                code: SQLITE_CORRUPT, systemError: 0,
                message: "the row of deleted instance \(deletion.number.value) is missing")
        }
        // One that lived within this commit only has no row, but its number is used up.
        next.meta.lastNumber = max(next.meta.lastNumber, deletion.number.value)
        try tables.garbage.write(deletion)
    }

    /// The places of instances in the order of their numbers; `nil` when they are in order.
    private static func orderByNumber(_ instances: [WriteSet.InstanceWrite]) -> [Int]? {
        let numbers = instances.map(\.number.value)
        let isSorted = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
        return isSorted ? nil : numbers.indices.sorted { numbers[$0] < numbers[$1] }
    }

    /// Moves the write-ahead log into the data file once it is large enough. With one connection
    /// and no open read everything is moved, and the log is used again from its start.
    ///
    /// - Throws: `.inputOutput`. A full disk is no error here: the rows are durable in the log,
    ///   which goes on growing, and moving is tried again a quarter of its size later.
    func checkpointIfDue(_ tables: Tables) throws(StoreError) {
        let pages = connection.pagesInLog
        guard pages >= checkpointPages else { return }
        let bound = options.logBytesMax / (pageBytes + 24)
        do throws(StoreError) {
            // Both in one commit: each is a sync.
            state = try transaction(tables) { (tables) throws(SQLiteFailure) in
                var next = state
                try writeMeta(tables, &next)
                try writeFloor(&next)
                return next
            }
            try moveLogNow()
            counters.checkpoints += 1
            checkpointPages = bound
        } catch .full {
            checkpointPages = pages + max(1, bound / 4)
        }
    }

    private func moveLogNow() throws(StoreError) {
        do throws(SQLiteFailure) {
            try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        } catch {
            guard error.isFull else {
                fail(error.storeError)
                throw error.storeError
            }
            counters.fullDisk += 1
            throw .full
        }
    }
}
