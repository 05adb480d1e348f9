import CSQLite
import GroveEngine

extension SQLiteStore {
    /// Bounds of one turn of sweeping: about a millisecond.
    private enum Turn {
        static let blocksMax = 16
        static let bytesMax = 256 << 10
    }

    /// Removes some dedup records and journal steps of one deleted instance, in a transaction of
    /// its own, or gives back some pages of the file when no deleted instance is left; answers
    /// whether more is left to do.
    ///
    /// Steps keep their place and lose everything else. A crash at any point leaves the work to
    /// the next call. A full disk stops it until the next deletion or start.
    ///
    /// - Throws: `.corrupt` when the deleted instance's steps are not linked as they should be:
    ///   nothing is touched, and it is not tried again before the next start. `.inputOutput`.
    public func sweep() throws(StoreError) -> Bool {
        guard hasGarbage else { return try giveBackPages() }
        let tables = try tables()
        let plan: SweepPlan?
        do throws(StoreError) {
            plan = try reading { (tables) throws(StoreError) in try planSweep(tables) }
        } catch {
            hasGarbage = false
            throw error
        }
        guard let plan else {
            hasGarbage = false
            return false
        }
        do throws(StoreError) {
            state = try transaction(tables) { (tables) throws(SQLiteFailure) in
                var next = state
                try perform(plan, tables, &next)
                return next
            }
        } catch {
            hasGarbage = false
            if error == .full { return false }
            throw error
        }
        counters.erasedSteps += Int64(plan.erased)
        if !plan.rewrites.isEmpty { blocks.clear() }
        hasFreedPages = true
        try checkpointIfDue(tables)
        hasGarbage = try reading { (tables) throws(StoreError) in
            try tables.garbage.next() != nil
        }
        if hasGarbage { return true }
        return try wantsToGiveBack()
    }

    /// What one turn does: the blocks with the steps to erase in them, and where it stops.
    private struct SweepPlan {
        var deletion: WriteSet.Deletion
        var rewrites: [(block: JournalBlock, erased: Set<JournalPosition>)] = []
        var erased: Int { rewrites.reduce(0) { $0 + $1.erased.count } }
    }

    private func planSweep(_ tables: Tables) throws(StoreError) -> SweepPlan? {
        guard let deletion = try tables.garbage.next() else { return nil }
        var plan = SweepPlan(deletion: deletion)
        var room = Turn.bytesMax
        while plan.deletion.newest >= first, plan.rewrites.count < Turn.blocksMax, room > 0 {
            let place = plan.deletion.newest
            guard let block = try tables.journal.block(atOrBefore: place), place < block.end
            else { throw .corrupt("journal step \(place) of a deleted instance is missing") }
            var erased: Set<JournalPosition> = []
            while plan.deletion.newest >= max(first, block.first) {
                let record = try block.record(at: plan.deletion.newest)
                let isOwn = record.kind != .erased && record.number == deletion.number
                guard isOwn || record.kind == .deleted else {
                    throw .corrupt("journal step \(record.sequence) belongs to another instance")
                }
                if record.kind != .deleted { erased.insert(record.sequence) }
                plan.deletion.newest = record.previous
            }
            plan.rewrites.append((block, erased))
            room -= block.bytes.count
        }
        // What is older was removed with the journal's old end.
        if plan.deletion.newest < first { plan.deletion.newest = 0 }
        return plan
    }

    private func perform(
        _ plan: SweepPlan, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        for (block, erased) in plan.rewrites {
            let stored = try erase(erased, in: block, tables)
            next.floor.bytes += Int64(stored - block.storedBytes)
        }
        if !plan.rewrites.isEmpty { try writeFloor(&next) }
        let number = plan.deletion.number
        let hasNoRecords = try tables.dedup.removeSome(number)
        if hasNoRecords, plan.deletion.newest == 0 { return try tables.garbage.remove(number) }
        try tables.garbage.write(plan.deletion)
    }

    /// Answers how many bytes the block has then.
    private func erase(
        _ erased: Set<JournalPosition>, in block: JournalBlock, _ tables: Tables
    ) throws(SQLiteFailure) -> Int {
        var bytes: [UInt8] = []
        for (place, range) in block.steps.enumerated() {
            if erased.contains(block.first + Int64(place)) {
                ByteCoding.append([JournalRecord.Kind.erased.rawValue], to: &bytes)
            } else {
                ByteCoding.append(block.bytes[range], to: &bytes)
            }
        }
        let deflate = deflate
        let compressionMin = options.compressionBytesMin
        return try bytes.withUnsafeBufferPointer { (buffer) throws(SQLiteFailure) in
            let plain = UnsafeRawBufferPointer(buffer)
            let small = plain.count < compressionMin ? nil : deflate.compress(plain)
            try tables.journal.rewrite(
                block, stored: small ?? plain, size: small == nil ? 0 : Int64(plain.count))
            return (small ?? plain).count
        }
    }
}
