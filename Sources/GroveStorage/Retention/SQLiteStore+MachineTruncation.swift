import GroveEngine

extension SQLiteStore {
    /// Removes the oldest steps of machines that have separate bounds. Returns whether more may be
    /// left to do.
    ///
    /// A step is erased in place, in one transaction with the row of `machine_floors` that says so;
    /// a crash leaves both or none. In a block, all steps of a machine are erased or none, so each
    /// machine rewrites a block once. Blocks without any held step are removed from the journal's
    /// old end in a separate turn.
    ///
    /// Every second turn serves all machines, beginning with the one farthest back. The other turns
    /// serve one machine each, in rotation, so that a search through the whole journal for one
    /// machine doesn't delay the others.
    ///
    /// A machine's steps are counted in turns too, from the position where the count ended. A count
    /// that lags is never too high, so no step is removed too early.
    ///
    /// - Throws: As ``truncate(to:at:)``.
    public func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool {
        let bounds = bounds.filter { !$0.value.isEmpty }
        guard !bounds.isEmpty || !state.machines.rows.isEmpty else { return false }
        let tables = try tables()
        dropFloors(except: bounds)
        if try removeEmptyBlocks(tables) { return true }
        machineTurns += 1
        let isForOne = machineTurns.isMultiple(of: 2)
        let isBehind = try reading { (tables) throws(StoreError) in
            try count(bounds, isForOne: isForOne, tables)
        }
        let plan = try reading { (tables) throws(StoreError) in
            try planMachines(bounds, isForOne: isForOne, now, tables)
        }
        let erases = !plan.erasures.isEmpty
        if erases || state.machines.hasManyUnwritten {
            state = try transaction(tables) { (tables) throws(SQLiteFailure) in
                var next = state
                next.machines = plan.machines
                try erase(plan.erasures, tables, &next)
                try writeFloors(&next)
                return next
            }
        }
        searches = plan.searches
        let waits = plan.waitsForRows ? try advanceRedoPoint(tables) : false
        if erases {
            counters.trimmedSteps += plan.erasures.reduce(0) { $0 + Int64($1.steps.count) }
            blocks.removeAll()
            hasFreedPages = true
            try checkpointIfDue(tables)
        }
        return isBehind || plan.isIncomplete || erases || waits
    }

    /// Drops the floors of machines that no longer have bounds and whose floor isn't later than the
    /// journal's. The next transaction that writes floors deletes their rows.
    private func dropFloors(except bounds: [String: JournalBounds]) {
        let first = state.floors.journal
        for (machine, row) in state.machines.rows
        where bounds[machine] == nil && row.first <= first {
            state.machines.rows[machine] = nil
        }
        for machine in searches.keys where bounds[machine] == nil { searches[machine] = nil }
    }

    // MARK: Counting

    /// Continues the count of machines whose number of steps or bytes is bounded. Returns whether
    /// the count lags behind the journal's head.
    private func count(
        _ bounds: [String: JournalBounds], isForOne: Bool, _ tables: Tables
    ) throws(StoreError) -> Bool {
        var rows: [String: MachineFloor] = [:]
        for (machine, bounds) in bounds where bounds.stepsMax != nil || bounds.bytesMax != nil {
            let row = state.machines.rows[machine] ?? MachineFloor()
            if row.counted < head { rows[machine] = row }
        }
        let chosen = isForOne ? rows[chosenForOne(of: rows.keys) ?? ""] : nil
        guard let counted = chosen?.counted ?? rows.values.map(\.counted).min() else {
            return false
        }
        let isFromFarthest = rows.values.allSatisfy { $0.counted >= counted }
        rows = rows.filter { $0.value.counted >= counted }
        let ends = rows.mapValues(\.counted)
        var next = max(counted + 1, first)
        var (blocks, room) = (0, StoreLimits.machineBytesMax)
        while next <= head, blocks < StoreLimits.machineBlocksMax, room > 0 {
            let block = try journalBlock(holding: next, tables)
            for step in try block.heldSteps() {
                guard let end = ends[step.machine], step.sequence > end else { continue }
                rows[step.machine]?.steps += 1
                rows[step.machine]?.bytes += Int64(step.bytes)
            }
            next = block.end
            blocks += 1
            room -= block.bytes.count
        }
        for machine in ends.keys {
            rows[machine]?.counted = max(next - 1, ends[machine] ?? 0)
            state.machines.rows[machine] = rows[machine]
        }
        return next <= head || !isFromFarthest
    }

    /// Returns the machine that a turn for one machine serves.
    private func chosenForOne(of machines: some Collection<String>) -> String? {
        machines.isEmpty ? nil : machines.sorted()[machineTurns / 2 % machines.count]
    }

    // MARK: Choosing

    /// The steps that one turn erases.
    private struct MachinePlan {
        /// The floors after the turn.
        var machines: MachineFloors
        /// The progress of the searches after the turn.
        var searches: [String: MachineSearch]
        var erasures: [BlockErasure] = []
        /// Whether the turn's limits ended it.
        var isIncomplete = false
        /// Whether the next steps to remove are some that a start would redo.
        var waitsForRows = false
    }

    /// The steps of a machine in one block.
    private struct Share {
        var steps: [JournalBlock.Step] = []

        var newest: Timestamp? { steps.map(\.at).max() }
    }

    /// Walks the blocks from the earliest position where a machine may have steps to remove, until
    /// each machine has reached steps that stay.
    private func planMachines(
        _ bounds: [String: JournalBounds], isForOne: Bool, _ now: Timestamp, _ tables: Tables
    ) throws(StoreError) -> MachinePlan {
        var plan = MachinePlan(machines: state.machines, searches: searches)
        var pending: Set<String> = []
        for (machine, bounds) in bounds {
            var search = searches[machine] ?? MachineSearch()
            let from = max(first, state.machines.rows[machine]?.first ?? 1)
            // The facts about steps that were removed otherwise don't apply to the next ones.
            if from > search.from { search.advance(to: from) }
            plan.searches[machine] = search
            if isDue(bounds, state.machines.rows[machine], search, now) { pending.insert(machine) }
        }
        if isForOne, pending.count > 1, let machine = chosenForOne(of: pending) {
            pending = [machine]
            plan.isIncomplete = true
        }
        var (blocksRead, room) = (0, StoreLimits.machineBytesMax)
        while let start = pending.compactMap({ plan.searches[$0]?.from }).min(), start <= head {
            guard blocksRead < StoreLimits.machineBlocksMax, room > 0 else {
                plan.isIncomplete = true
                break
            }
            let block = try journalBlock(holding: start, tables)
            try choose(in: block, bounds, now, &pending, &plan)
            blocksRead += 1
            room -= block.bytes.count
        }
        try passAhead(bounds, now, tables, &plan, blocks: blocksRead, room)
        return plan
    }

    /// Searches what comes after steps of a time after now that keep a machine's later ones, in
    /// what is left of the turn. Machines whose searches have met continue together.
    private func passAhead(
        _ bounds: [String: JournalBounds], _ now: Timestamp, _ tables: Tables,
        _ plan: inout MachinePlan, blocks: Int, _ room: Int
    ) throws(StoreError) {
        var waiting: Set<String> = []
        for (machine, search) in plan.searches where bounds[machine]?.ageMillisecondsMax != nil {
            guard let latest = search.latest, latest > now else { continue }
            plan.searches[machine]?.ahead.begin(at: search.from)
            waiting.insert(machine)
        }
        var (blocks, room) = (blocks, room)
        while let next = waiting.compactMap({ plan.searches[$0]?.ahead.end }).min(), next <= head {
            guard blocks < StoreLimits.machineBlocksMax, room > 0 else {
                plan.isIncomplete = true
                return
            }
            let block = try journalBlock(holding: next, tables)
            for machine in waiting {
                guard var ahead = plan.searches[machine]?.ahead, ahead.end < block.end else {
                    continue
                }
                if try ahead.look(at: block, now) {
                    waiting.remove(machine)
                    // The next turn decides by what was found.
                    plan.isIncomplete = true
                }
                plan.searches[machine]?.ahead = ahead
            }
            blocks += 1
            room -= block.bytes.count
        }
    }

    /// Returns whether steps of a machine may have to go, without reading any block.
    private func isDue(
        _ bounds: JournalBounds, _ row: MachineFloor?, _ search: MachineSearch, _ now: Timestamp
    ) -> Bool {
        guard search.from <= head else { return false }
        if let stepsMax = bounds.stepsMax, let row, row.steps - search.share >= stepsMax {
            return true
        }
        if let bytesMax = bounds.bytesMax, let row, row.bytes > bytesMax { return true }
        guard let age = bounds.ageMillisecondsMax else { return false }
        guard let latest = search.latest else { return true }
        return now.milliseconds - latest.milliseconds > age
    }

    /// Adds a block's steps that go to the plan. Removes machines with steps that stay from
    /// `pending`.
    private func choose(
        in block: JournalBlock, _ bounds: [String: JournalBounds], _ now: Timestamp,
        _ pending: inout Set<String>, _ plan: inout MachinePlan
    ) throws(StoreError) {
        var shares: [String: Share] = [:]
        for step in try block.heldSteps() where pending.contains(step.machine) {
            shares[step.machine, default: Share()].steps.append(step)
        }
        var erased: Set<JournalPosition> = []
        for machine in pending {
            guard let from = plan.searches[machine]?.from, from < block.end else { continue }
            guard let share = shares[machine], let first = share.steps.first,
                let last = share.steps.last
            else {
                plan.searches[machine]?.advance(to: block.end)
                continue
            }
            let newest = share.newest.flatMap {
                plan.searches[machine]?.ahead.latest($0, at: first.sequence)
            }
            let row = plan.machines.rows[machine] ?? MachineFloor()
            let counted = Int64(share.steps.count { $0.sequence <= row.counted })
            let isRemovable =
                bounds[machine]?.allowsRemoval(
                    staying: row.steps - counted, newest: newest, bytes: row.bytes, at: now)
                ?? false
            if isRemovable, last.sequence > state.redo.step {
                plan.waitsForRows = true
                pending.remove(machine)
                continue
            }
            guard isRemovable else {
                plan.searches[machine]?.advance(to: first.sequence)
                plan.searches[machine]?.newest = share.newest
                plan.searches[machine]?.share = max(1, counted)
                pending.remove(machine)
                continue
            }
            plan.machines.rows[machine] = row
            for step in share.steps {
                plan.machines.subtract(step)
                erased.insert(step.sequence)
            }
            plan.machines.rows[machine]?.first = last.sequence + 1
            plan.searches[machine]?.advance(to: block.end)
        }
        if !erased.isEmpty { plan.erasures.append(BlockErasure(block: block, steps: erased)) }
    }

    /// Returns the block that holds a step, without caching it.
    func journalBlock(
        holding sequence: JournalPosition, _ tables: Tables
    ) throws(StoreError) -> JournalBlock {
        guard let block = try tables.journal.block(atOrBefore: sequence), sequence < block.end
        else { throw .corrupt("journal step \(sequence) is missing") }
        return block
    }
}
