import GroveEngine

extension SQLiteStore {
    /// Removes whole blocks from the journal's old end in a separate transaction. Returns whether
    /// more may be left. The newest block stays, whatever the bounds say.
    ///
    /// The same transaction writes the row of `floor`: the new beginning of the journal, and the
    /// chain value that its first block must follow. So a truncated journal is checked like a whole
    /// one, and a crash leaves the journal before or after the turn.
    ///
    /// - Throws: `.full`, and nothing was removed. `.corrupt` when a block to be removed is damaged
    ///   or missing: the blocks stay. `.inputOutput`.
    public func truncate(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool {
        let tables = try tables()
        let plan = try reading { (tables) throws(StoreError) in
            try planTruncation(tables) { (block, bytes) throws(StoreError) in
                var newest: Timestamp?
                if bounds.ageMillisecondsMax != nil {
                    newest = try block.newest().map { ahead.latest($0, at: block.first) }
                }
                return bounds.allowsRemoval(
                    staying: head - block.end + 1, newest: newest, bytes: bytes, at: now)
            }
        }
        let before = first
        try perform(plan, tables)
        counters.removedSteps += first - before
        if plan.waitsForRows { return try advanceRedoPoint(tables) }
        if plan.isIncomplete || bounds.ageMillisecondsMax == nil { return plan.isIncomplete }
        return try passOldest(at: now)
    }

    /// Searches what comes after the oldest steps, if these are of a time after now. Returns
    /// whether more may be left to do: the search continues, or has found how old they are.
    private func passOldest(at now: Timestamp) throws(StoreError) -> Bool {
        guard first <= head else { return false }
        return try reading { (tables) throws(StoreError) in
            let oldest = try journalBlock(holding: first, tables)
            guard let newest = try oldest.newest(), ahead.latest(newest, at: first) > now else {
                return false
            }
            ahead.begin(at: first)
            var (count, room) = (0, StoreLimits.truncatedBytesMax)
            while ahead.end <= head {
                guard count < StoreLimits.truncatedBlocksMax, room > 0 else { return true }
                let block = try journalBlock(holding: ahead.end, tables)
                if try ahead.look(at: block, now) { return true }
                count += 1
                room -= block.storedBytes
            }
            return false
        }
    }

    /// Removes blocks in which all steps are erased from the journal's old end, in turns like those
    /// of `truncate`. Returns whether there were any. Does nothing unless machines have separate
    /// bounds, which leave thousands of such blocks.
    func removeEmptyBlocks(_ tables: Tables) throws(StoreError) -> Bool {
        guard !state.machines.rows.isEmpty else { return false }
        let plan = try reading { (tables) throws(StoreError) in
            if let oldest = blocks.block(holding: first), try !oldest.heldSteps().isEmpty {
                return TruncationPlan(floor: state.floor, machines: state.machines)
            }
            let plan = try planTruncation(tables) { (block, _) throws(StoreError) in
                try block.heldSteps().isEmpty
            }
            // Loads the block that stays into the cache, because the next turn reads it again.
            if plan.floor.first <= head, !plan.isIncomplete {
                _ = try record(at: plan.floor.first)
            }
            return plan
        }
        try perform(plan, tables)
        return plan.count > 0
    }

    private func perform(_ plan: TruncationPlan, _ tables: Tables) throws(StoreError) {
        guard plan.count > 0 else { return }
        state = try transaction(tables) { (tables) throws(SQLiteFailure) in
            var next = state
            next.floor = plan.floor
            next.machines = plan.machines
            try tables.journal.remove(before: plan.floor.first, count: plan.count)
            try writeFloors(&next)
            return next
        }
        blocks.removeAll()
        hasFreedPages = true
        try checkpointIfDue(tables)
    }

    /// The blocks that one turn removes.
    private struct TruncationPlan {
        var floor: Floor
        var machines: MachineFloors
        /// The number of blocks removed.
        var count = 0
        /// Whether the turn's limits ended it.
        var isIncomplete = false
        /// Whether the next step to remove is one that a start would redo.
        var waitsForRows = false
    }

    /// Plans the removal of the oldest blocks that `isRemovable` accepts. It receives a block and
    /// the journal's bytes including it.
    private func planTruncation(
        _ tables: Tables, _ isRemovable: (JournalBlock, Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> TruncationPlan {
        var plan = TruncationPlan(floor: state.floor, machines: state.machines)
        var room = StoreLimits.truncatedBytesMax
        while plan.floor.first <= head {
            guard plan.count < StoreLimits.truncatedBlocksMax, room > 0 else {
                plan.isIncomplete = true
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
            // The newest block stays: it marks the journal's end.
            guard block.end <= head, try isRemovable(block, plan.floor.bytes) else { break }
            guard block.end - 1 <= state.redo.step else {
                plan.waitsForRows = true
                break
            }
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

    /// Searches some instances, in the order of their numbers, for those done since before `time`.
    public func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        try reading { (tables) throws(StoreError) in
            try tables.instances.finished(after: number, before: time, limit: limit)
        }
    }
}
