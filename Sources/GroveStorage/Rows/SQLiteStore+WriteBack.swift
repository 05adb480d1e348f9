import GroveEngine

extension SQLiteStore {
    /// Writes the rows of some buckets, within a transaction. Writes the redo point too if it has
    /// moved far.
    ///
    /// - Parameter head: The point up to which rows that aren't behind hold all steps.
    func writeBack(
        _ buckets: [RowBucket], head: RedoPoint, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        // In the order of numbers, which is the order of their pages.
        let sorted = buckets.sorted { $0.id < $1.id }
        for (index, bucket) in sorted.enumerated() {
            if index + 2 < sorted.count { sorted[index + 2].prefetchCounts() }
            if index + 1 < sorted.count { sorted[index + 1].prefetchRows() }
            try bucket.forEachRow { (number, name, snapshot) throws(SQLiteFailure) in
                try tables.instances.update(number, name: name, content(snapshot))
            }
        }
        var scratch: [UInt8] = []
        for bucket in sorted {
            try bucket.forEachDedup { (dedup) throws(SQLiteFailure) in
                try tables.dedup.write(dedup, scratch: &scratch)
            }
        }
        for bucket in sorted {
            for effect in bucket.effects {
                let body: [UInt8]
                do throws(StoreError) { body = try effect.encodedBody() } catch {
                    throw .corrupt("\(error)")
                }
                try tables.effects.write(effect, body: body, isNew: true)
                next.meta.effects += 1
            }
        }
        let point = pending.redoPoint(without: buckets) ?? head
        if point.isFar(from: state.redo) { try writeRedoPoint(point, tables, &next) }
    }

    func content(_ snapshot: UnsafeRawBufferPointer) -> InstanceTable.Content {
        InstanceTable.Content(snapshot, deflate, from: options.compressionBytesMin)
    }

    /// Writes the redo point. Also the counts, if they lack instances: a start finds those in the
    /// steps after the redo point.
    func writeRedoPoint(
        _ point: RedoPoint, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        guard point.step != state.redo.step else { return }
        if next.uncountedCreations > 0 { try writeCounts(tables, &next) }
        next.redo = point
        try RedoTable.write(point, connection)
    }

    /// Makes some of the rows that opening the file left for later, about a millisecond of work.
    /// Returns whether more are to be made.
    ///
    /// - Throws: `.corrupt` when a row can't be made from the journal; this ends the store's life.
    func makeRows() throws(StoreError) -> Bool {
        try failing { () throws(StoreError) in
            try pending.makeSome(steps: StoreLimits.redoneStepsPerTurn)
        }
    }

    /// Runs `body`. An error in it ends the store's life.
    func failing<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) { return try body() } catch {
            fail(error)
            throw error
        }
    }

    /// Writes some rows back, so that retention may remove the steps that they follow from. Returns
    /// whether the redo point has moved.
    func advanceRedoPoint(_ tables: Tables) throws(StoreError) -> Bool {
        let before = state.redo.step
        _ = try writeBackOldest(rows: StoreLimits.rowsPerTurnOfRetention, tables)
        return state.redo.step > before
    }

    /// Writes the oldest rows back in a separate transaction, and the redo point. Returns whether
    /// more rows are behind.
    ///
    /// - Parameter rows: About the number of rows to write.
    /// - Throws: As ``commit(_:)``.
    func writeBackOldest(rows: Int, _ tables: Tables) throws(StoreError) -> Bool {
        let buckets = pending.oldestBuckets(rows: rows)
        try failing { () throws(StoreError) in try pending.prepare(buckets) }
        let head = RedoPoint(step: state.head, byte: pending.journalBytes)
        state = try transaction(tables) { (tables) throws(SQLiteFailure) in
            var next = state
            try writeBack(buckets, head: head, tables, &next)
            try writeRedoPoint(pending.redoPoint(without: buckets) ?? head, tables, &next)
            if next.meta.effects != state.meta.effects { try writeCounts(tables, &next) }
            return next
        }
        pending.remove(buckets)
        try checkpointIfDue(tables)
        return pending.count > 0
    }
}
