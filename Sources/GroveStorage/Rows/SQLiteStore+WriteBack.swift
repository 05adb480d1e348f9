import GroveEngine

extension SQLiteStore {
    /// Writes the rows of some buckets, within a transaction. Writes the redo point too if it has
    /// moved far.
    ///
    /// - Parameter head: The point up to which rows that aren't behind hold all steps.
    func writeBack(
        _ buckets: [PendingRows.BucketID], head: RedoPoint, _ tables: Tables,
        _ next: inout State
    ) throws(SQLiteFailure) {
        var scratch: [UInt8] = []
        try pending.forEachEntry(of: buckets) {
            (number, row, nameBytes, dedups) throws(SQLiteFailure) in
            if !row.isEmpty { try write(row, nameBytes, of: number, tables) }
            for (key, entry) in dedups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                try tables.dedup.write(
                    WriteSet.DedupWrite(number: number, key: key, entry: entry), scratch: &scratch)
            }
        }
        let point = pending.redoPoint(without: buckets) ?? head
        if point.isFar(from: state.redo) { try writeRedoPoint(point, &next) }
    }

    private func write(
        _ row: [UInt8], _ nameBytes: Int, of number: InstanceNumber, _ tables: Tables
    ) throws(SQLiteFailure) {
        try row.withUnsafeBufferPointer { (buffer) throws(SQLiteFailure) in
            let bytes = UnsafeRawBufferPointer(buffer)
            try tables.instances.update(
                number, name: UnsafeRawBufferPointer(rebasing: bytes[..<nameBytes]),
                content(UnsafeRawBufferPointer(rebasing: bytes[nameBytes...])))
        }
    }

    func content(_ snapshot: UnsafeRawBufferPointer) -> InstanceTable.Content {
        InstanceTable.Content(snapshot, deflate, from: options.compressionBytesMin)
    }

    func writeRedoPoint(_ point: RedoPoint, _ next: inout State) throws(SQLiteFailure) {
        guard point.step != state.redo.step else { return }
        next.redo = point
        try RedoTable.write(point, connection)
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
        let head = RedoPoint(step: state.head, byte: pending.journalBytes)
        state = try transaction(tables) { (tables) throws(SQLiteFailure) in
            var next = state
            try writeBack(buckets, head: head, tables, &next)
            try writeRedoPoint(pending.redoPoint(without: buckets) ?? head, &next)
            return next
        }
        pending.remove(buckets)
        try checkpointIfDue(tables)
        return pending.count > 0
    }
}
