import CSQLite
import GroveEngine

extension SQLiteStore {
    /// Bounds of one turn of sweeping: about a millisecond.
    private enum Turn {
        static let blocksMax = 16
        static let bytesMax = 256 << 10
    }

    /// Removes some dedup records and journal steps of one deleted instance, in a transaction of
    /// its own; answers whether more is left.
    ///
    /// Steps keep their place and lose everything else. A crash at any point leaves the work to
    /// the next call. A full disk stops it until the next deletion or start.
    ///
    /// - Throws: `.corrupt` when the deleted instance's steps are not linked as they should be:
    ///   nothing is touched, and it is not tried again before the next start. `.inputOutput`.
    public func sweep() throws(StoreError) -> Bool {
        guard hasGarbage else { return false }
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
            try transaction(tables) { (tables) throws(SQLiteFailure) in
                try perform(plan, tables)
            }
        } catch {
            hasGarbage = false
            if error == .full { return false }
            throw error
        }
        counters.erasedSteps += Int64(plan.erased)
        if !plan.rewrites.isEmpty { blocks.clear() }
        hasGarbage = try reading { (tables) throws(StoreError) in
            try tables.garbage.next() != nil
        }
        return hasGarbage
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
        while plan.deletion.newest != 0, plan.rewrites.count < Turn.blocksMax, room > 0 {
            let place = plan.deletion.newest
            guard let block = try tables.journal.block(atOrBefore: place), place < block.end
            else { throw .corrupt("journal step \(place) of a deleted instance is missing") }
            var erased: Set<JournalPosition> = []
            while plan.deletion.newest >= block.first {
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
        return plan
    }

    private func perform(_ plan: SweepPlan, _ tables: Tables) throws(SQLiteFailure) {
        for (block, erased) in plan.rewrites { try erase(erased, in: block, tables) }
        let number = plan.deletion.number
        let hasNoRecords = try tables.dedup.removeSome(number)
        if hasNoRecords, plan.deletion.newest == 0 { return try tables.garbage.remove(number) }
        try tables.garbage.write(plan.deletion)
    }

    private func erase(
        _ erased: Set<JournalPosition>, in block: JournalBlock, _ tables: Tables
    ) throws(SQLiteFailure) {
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
        try bytes.withUnsafeBufferPointer { (buffer) throws(SQLiteFailure) in
            let plain = UnsafeRawBufferPointer(buffer)
            let small = plain.count < compressionMin ? nil : deflate.compress(plain)
            try tables.journal.rewrite(
                block, stored: small ?? plain, size: small == nil ? 0 : Int64(plain.count))
        }
    }
}
