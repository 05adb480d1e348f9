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
    public func purge() throws(StoreError) -> Bool {
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
            mayHoldGarbage = false
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
        if !plan.erasures.isEmpty { blocks.clear() }
        hasFreedPages = true
        try checkpointIfDue(tables)
        hasGarbage = try reading { (tables) throws(StoreError) in
            try tables.garbage.next() != nil
        }
        mayHoldGarbage = hasGarbage
        if hasGarbage { return true }
        return try wantsToGiveBack()
    }

    /// What one turn does: the steps to erase, and where it stops.
    private struct SweepPlan {
        var deletion: WriteSet.Deletion
        var machines: MachineFloors
        var erasures: [BlockErasure] = []
        var erased: Int { erasures.reduce(0) { $0 + $1.steps.count } }
    }

    private func planSweep(_ tables: Tables) throws(StoreError) -> SweepPlan? {
        guard let deletion = try tables.garbage.next() else { return nil }
        var plan = SweepPlan(deletion: deletion, machines: state.machines)
        var room = Turn.bytesMax
        var looked = 0
        while plan.deletion.newest >= first, looked < Turn.blocksMax, room > 0 {
            let place = plan.deletion.newest
            guard let block = try tables.journal.block(atOrBefore: place), place < block.end
            else { throw .corrupt("journal step \(place) of a deleted instance is missing") }
            try erase(in: block, &plan)
            looked += 1
            room -= block.bytes.count
        }
        // What is older was removed with the journal's old end.
        if plan.deletion.newest < first { plan.deletion.newest = 0 }
        return plan
    }

    /// Takes the instance's steps in a block to the plan, newest first.
    private func erase(
        in block: JournalBlock, _ plan: inout SweepPlan
    ) throws(StoreError) {
        var erased: Set<JournalPosition> = []
        while plan.deletion.newest >= max(first, block.first) {
            let record = try block.record(at: plan.deletion.newest)
            if record.kind == .erased, record.sequence < state.floors.latest {
                // It went with its machine's old steps, and so did all before it.
                plan.deletion.newest = 0
                break
            }
            let isOwn = record.kind != .erased && record.number == plan.deletion.number
            guard isOwn || record.kind == .deleted else {
                throw .corrupt("journal step \(record.sequence) belongs to another instance")
            }
            if record.kind != .deleted, let name = record.name {
                erased.insert(record.sequence)
                plan.machines.subtract(
                    JournalBlock.Step(
                        sequence: record.sequence, machine: name.machine, at: record.at,
                        bytes: block.steps[Int(record.sequence - block.first)].count))
            }
            plan.deletion.newest = record.previous
        }
        if !erased.isEmpty { plan.erasures.append(BlockErasure(block: block, steps: erased)) }
    }

    private func perform(
        _ plan: SweepPlan, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        try perform(plan.erasures, tables, &next)
        if !plan.erasures.isEmpty {
            next.machines = plan.machines
            try writeFloors(&next)
        }
        let number = plan.deletion.number
        let hasNoRecords = try tables.dedup.removeSome(number)
        if hasNoRecords, plan.deletion.newest == 0 { return try tables.garbage.remove(number) }
        try tables.garbage.write(plan.deletion)
    }
}
