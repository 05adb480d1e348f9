import CSQLite
import GroveEngine

extension SQLiteStore {
    /// Bounds of one turn of removing: well below a millisecond, with its sync.
    private enum CutTurn {
        static let blocksMax = 16
        static let bytesMax = 256 << 10
    }

    /// Removes whole blocks from the journal's old end, in a transaction of its own; answers
    /// whether more may be left. The newest block stays whatever the bounds say.
    ///
    /// The row of `floor` that is written with it says where the journal begins from then on, and
    /// holds the chain value that the first block must follow. So a journal that was cut is
    /// checked like a whole one, and a crash leaves one or the other.
    ///
    /// - Throws: `.full`, and nothing was removed. `.corrupt` when a block is damaged that would
    ///   have to go, or isn't the next one: it stays. `.inputOutput`.
    public func truncate(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool {
        let tables = try tables()
        let plan = try reading { (tables) throws(StoreError) in
            try planCut(tables) { (block, bytes) throws(StoreError) in
                try bounds.allowsRemoval(block, bytes, head, now)
            }
        }
        let before = first
        try perform(plan, tables)
        counters.removedSteps += first - before
        return plan.isCutShort
    }

    /// Removes blocks from the journal's old end in which all steps were erased, in turns like
    /// those of `cut`; answers whether there were any. Only where machines have bounds of their
    /// own: they leave such blocks by the thousand.
    func removeEmptyBlocks(_ tables: Tables) throws(StoreError) -> Bool {
        guard !state.machines.rows.isEmpty else { return false }
        let plan = try reading { (tables) throws(StoreError) in
            if let oldest = blocks.block(holding: first), try !oldest.heldSteps().isEmpty {
                return CutPlan(floor: state.floor, machines: state.machines)
            }
            let plan = try planCut(tables) { (block, _) throws(StoreError) in
                try block.heldSteps().isEmpty
            }
            // The one that stays is looked at again a second later.
            if plan.floor.first <= head, !plan.isCutShort {
                _ = try record(at: plan.floor.first)
            }
            return plan
        }
        try perform(plan, tables)
        return plan.count > 0
    }

    private func perform(_ plan: CutPlan, _ tables: Tables) throws(StoreError) {
        guard plan.count > 0 else { return }
        state = try transaction(tables) { (tables) throws(SQLiteFailure) in
            var next = state
            next.floor = plan.floor
            next.machines = plan.machines
            try tables.journal.remove(before: plan.floor.first, count: plan.count)
            try writeFloors(&next)
            return next
        }
        blocks.clear()
        hasFreedPages = true
        try checkpointIfDue(tables)
    }

    /// What one turn removes.
    private struct CutPlan {
        /// The floor when it is done.
        var floor: Floor
        /// Those of machines.
        var machines: MachineFloors
        /// How many blocks go.
        var count = 0
        /// Whether the turn's bounds ended it.
        var isCutShort = false
    }

    /// The oldest blocks that may go, by themselves and the bytes that the journal has with them.
    private func planCut(
        _ tables: Tables, _ mayGo: (JournalBlock, Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> CutPlan {
        var plan = CutPlan(floor: state.floor, machines: state.machines)
        var room = CutTurn.bytesMax
        while plan.floor.first <= head {
            guard plan.count < CutTurn.blocksMax, room > 0 else {
                plan.isCutShort = true
                break
            }
            let next = plan.floor.first
            guard let block = try tables.journal.block(atOrBefore: next), block.first == next
            else { throw .corrupt("journal step \(next) is missing") }
            let chain = JournalBlock.chain(
                after: plan.floor.seed, link: block.link, first: block.first,
                count: Int64(block.steps.count))
            guard chain == block.chain else {
                throw .corrupt("the journal block at \(next) does not follow the one before")
            }
            // The newest block stays: it tells where the journal ends.
            guard block.end <= head, try mayGo(block, plan.floor.bytes) else { break }
            try plan.machines.remove(block)
            plan.floor.first = block.end
            plan.floor.seed = block.chain
            plan.floor.bytes -= Int64(block.storedBytes)
            plan.count += 1
            room -= block.storedBytes
        }
        return plan
    }

    // MARK: Done instances

    /// Looks at some instances, in the order of their numbers, for those that are done for long.
    public func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        try reading { (tables) throws(StoreError) in
            try tables.instances.finished(after: number, before: time, limit: limit)
        }
    }

    // MARK: The file's size

    /// Pages of the file that hold nothing.
    var freePages: Int64 {
        // A gauge of an open store; nothing to say of one that is closed or failed.
        guard failure == nil else { return 0 }
        return (try? connection.integer("PRAGMA freelist_count")) ?? 0
    }

    /// Whether so many pages are free that some of them are to be given back.
    func wantsToGiveBack() throws(StoreError) -> Bool {
        guard canShrink, hasFreedPages || isGivingBack else { return false }
        _ = try tables()
        let (free, all): (Int64, Int64)
        do throws(SQLiteFailure) {
            free = try connection.integer("PRAGMA freelist_count")
            all = try connection.integer("PRAGMA page_count")
        } catch {
            fail(error.storeError)
            throw error.storeError
        }
        hasFreedPages = false
        isGivingBack =
            free >= options.freePagesMin && (4 * free > all || (isGivingBack && 8 * free > all))
        return isGivingBack
    }

    /// Gives back some free pages from the file's end, in a transaction of its own, once a
    /// quarter of the file is free, until an eighth is; answers whether more is left. The file
    /// gets shorter with the next checkpoint.
    func giveBackPages() throws(StoreError) -> Bool {
        guard try wantsToGiveBack() else { return false }
        let tables = try tables()
        let before = freePages
        do throws(StoreError) {
            try transaction(tables) { (_) throws(SQLiteFailure) in
                try connection.execute("PRAGMA incremental_vacuum(32)")
            }
        } catch .full {
            isGivingBack = false
            return false
        } catch { throw error }
        counters.returnedPages += before - freePages
        try checkpointIfDue(tables)
        return true
    }
}

extension JournalBounds {
    /// Whether a block may go that is the oldest.
    fileprivate func allowsRemoval(
        _ block: JournalBlock, _ bytes: Int64, _ head: JournalPosition, _ now: Timestamp
    ) throws(StoreError) -> Bool {
        var newest: Timestamp?
        if ageMillisecondsMax != nil {
            var sequence = block.end - 1
            while newest == nil, sequence >= block.first {
                let record = try block.record(at: sequence)
                if record.kind != .erased { newest = record.at }
                sequence -= 1
            }
        }
        return allowsRemoval(staying: head - block.end + 1, newest: newest, bytes: bytes, at: now)
    }
}
