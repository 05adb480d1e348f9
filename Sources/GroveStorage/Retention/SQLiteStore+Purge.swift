import GroveEngine

extension SQLiteStore {
    /// Makes rows that opening the file left for later. Then removes some dedup records and journal
    /// steps of one deleted instance in a separate transaction. When no deleted instance is left,
    /// releases some pages of the file. Returns whether more work is left.
    ///
    /// Steps keep their position and lose everything else. After a crash, the next call resumes the
    /// work. A full disk stops it until the next deletion or start.
    ///
    /// - Throws: `.corrupt` when the deleted instance's steps aren't linked correctly: nothing
    ///   changes, and the purge isn't tried again before the next start. `.inputOutput`.
    public func purge() throws(StoreError) -> Bool {
        // First, because rows are made from steps that a purge would erase.
        if try makeRows() { return true }
        guard hasGarbage else { return try releasePages() }
        let tables = try tables()
        let plan: PurgePlan?
        do throws(StoreError) {
            plan = try reading { (tables) throws(StoreError) in try planPurge(tables) }
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
        if !plan.erasures.isEmpty { blocks.removeAll() }
        hasFreedPages = true
        try checkpointIfDue(tables)
        hasGarbage = try reading { (tables) throws(StoreError) in
            try tables.garbage.next() != nil
        }
        mayHoldGarbage = hasGarbage
        if hasGarbage { return true }
        return try wantsToReleasePages()
    }

    /// The work of one turn: the steps to erase, and the position where it stops.
    private struct PurgePlan {
        var deletion: WriteSet.Deletion
        var machines: MachineFloors
        var erasures: [BlockErasure] = []
        var erased: Int { erasures.reduce(0) { $0 + $1.steps.count } }
    }

    private func planPurge(_ tables: Tables) throws(StoreError) -> PurgePlan? {
        guard let deletion = try tables.garbage.next() else { return nil }
        var plan = PurgePlan(deletion: deletion, machines: state.machines)
        var room = StoreLimits.purgedBytesMax
        var blocksRead = 0
        while plan.deletion.newest >= first, blocksRead < StoreLimits.purgedBlocksMax, room > 0 {
            let newest = plan.deletion.newest
            guard let block = try tables.journal.block(atOrBefore: newest), newest < block.end
            else { throw .corrupt("journal step \(newest) of a deleted instance is missing") }
            try erase(in: block, &plan)
            blocksRead += 1
            room -= block.bytes.count
        }
        // Older steps were removed with the journal's old end.
        if plan.deletion.newest < first { plan.deletion.newest = 0 }
        return plan
    }

    /// Adds the instance's steps in a block to the plan, newest first.
    private func erase(
        in block: JournalBlock, _ plan: inout PurgePlan
    ) throws(StoreError) {
        var erased: Set<JournalPosition> = []
        while plan.deletion.newest >= max(first, block.first) {
            let record = try block.record(at: plan.deletion.newest)
            if record.kind == .erased, record.sequence < state.floors.latest {
                // Retention of its machine erased it and all steps before it.
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
        _ plan: PurgePlan, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        try erase(plan.erasures, tables, &next)
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
