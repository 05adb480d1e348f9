import GroveEngine

/// How far the search for steps of a machine that may go has come; kept in memory only.
struct MachineSearch {
    /// No step of the machine is held before this one.
    var from: JournalPosition = 1
    /// When the newest of its steps was taken that go next, if those were looked at.
    var newest: Timestamp?
    /// How many of them are counted: none of them goes while the others aren't enough.
    var share: Int64 = 1
}

extension SQLiteStore {
    /// Bounds of one turn of trimming: about a millisecond.
    private enum TrimTurn {
        static let countedBlocksMax = 8
        static let blocksMax = 8
        static let bytesMax = 128 << 10
    }

    /// Removes the oldest steps of machines that have bounds of their own; answers whether more
    /// may be left to do.
    ///
    /// A step is erased where it stands, in one transaction with the row of `machine_floors` that
    /// says that it is gone; a crash leaves both or none. Of a block, either all steps of a
    /// machine go or none, so that it is written anew once for each machine. Blocks at the
    /// journal's old end in which no step is left are removed in a turn of their own.
    ///
    /// Every second turn is one for all machines, from the one on that is farthest back; the others
    /// are each for one machine, in turns, so that a machine whose steps are searched for through
    /// all of the journal doesn't keep the others waiting.
    ///
    /// A machine's steps are counted from where the count ended before, in turns as well. While
    /// the count is behind, there are more steps than it says, never less: what goes by it, goes
    /// rightly.
    ///
    /// - Throws: as `cut` does.
    public func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool {
        let bounds = bounds.filter { !$0.value.isEmpty }
        guard !bounds.isEmpty || !state.machines.rows.isEmpty else { return false }
        let tables = try tables()
        forgetFloors(except: bounds)
        if try removeEmptyBlocks(tables) { return true }
        trimTurns += 1
        let isForOne = trimTurns.isMultiple(of: 2)
        let isBehind = try reading { (tables) throws(StoreError) in
            try count(bounds, isForOne: isForOne, tables)
        }
        let plan = try reading { (tables) throws(StoreError) in
            try planTrim(bounds, isForOne: isForOne, now, tables)
        }
        let erases = !plan.erasures.isEmpty
        if erases || state.machines.isFarFromWritten {
            state = try transaction(tables) { (tables) throws(SQLiteFailure) in
                var next = state
                next.machines = plan.machines
                try perform(plan.erasures, tables, &next)
                try writeFloors(&next)
                return next
            }
        }
        searches = plan.searches
        if erases {
            counters.trimmedSteps += plan.erasures.reduce(0) { $0 + Int64($1.steps.count) }
            blocks.clear()
            hasFreedPages = true
            try checkpointIfDue(tables)
        }
        return isBehind || plan.isCutShort || erases
    }

    /// Forgets the floors of machines that have no bounds any more and aren't later than the
    /// others'. Their rows go with the next transaction that writes floors.
    private func forgetFloors(except bounds: [String: JournalBounds]) {
        let first = state.floors.journal
        for (machine, row) in state.machines.rows
        where bounds[machine] == nil && row.first <= first {
            state.machines.rows[machine] = nil
        }
        for machine in searches.keys where bounds[machine] == nil { searches[machine] = nil }
    }

    // MARK: Counting

    /// Counts on the steps of machines whose number or bytes are bounded; answers whether the
    /// count is behind the journal's head.
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
        var (blocks, room) = (0, TrimTurn.bytesMax)
        while next <= head, blocks < TrimTurn.countedBlocksMax, room > 0 {
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

    /// The machine whose turn it is.
    private func chosenForOne(of machines: some Collection<String>) -> String? {
        machines.isEmpty ? nil : machines.sorted()[trimTurns / 2 % machines.count]
    }

    // MARK: Choosing

    /// What one turn erases.
    private struct TrimPlan {
        /// The floors when it is done.
        var machines: MachineFloors
        /// How far the searches have come.
        var searches: [String: MachineSearch]
        var erasures: [BlockErasure] = []
        /// Whether the turn's bounds ended it.
        var isCutShort = false
    }

    /// The steps of a machine in one block.
    private struct Share {
        var steps: [JournalBlock.Step] = []

        /// When the newest of them was taken.
        var newest: Timestamp? { steps.map(\.at).max() }
    }

    /// Walks from the earliest place where a machine may have steps that go, through the blocks,
    /// until each machine has come to steps that stay.
    private func planTrim(
        _ bounds: [String: JournalBounds], isForOne: Bool, _ now: Timestamp, _ tables: Tables
    ) throws(StoreError) -> TrimPlan {
        var plan = TrimPlan(machines: state.machines, searches: searches)
        var going: Set<String> = []
        for (machine, bounds) in bounds {
            var search = searches[machine] ?? MachineSearch()
            let from = max(first, state.machines.rows[machine]?.first ?? 1)
            // What was known of steps that have gone otherwise says nothing of the next ones.
            if from > search.from { search = MachineSearch(from: from) }
            plan.searches[machine] = search
            if isDue(bounds, state.machines.rows[machine], search, now) { going.insert(machine) }
        }
        if isForOne, going.count > 1, let machine = chosenForOne(of: going) {
            going = [machine]
            plan.isCutShort = true
        }
        var (looked, room) = (0, TrimTurn.bytesMax)
        while let start = going.compactMap({ plan.searches[$0]?.from }).min(), start <= head {
            guard looked < TrimTurn.blocksMax, room > 0 else {
                plan.isCutShort = true
                break
            }
            let block = try journalBlock(holding: start, tables)
            try choose(in: block, bounds, now, &going, &plan)
            looked += 1
            room -= block.bytes.count
        }
        return plan
    }

    /// Whether steps of a machine may have to go, as far as that is known without a look.
    private func isDue(
        _ bounds: JournalBounds, _ row: MachineFloor?, _ search: MachineSearch, _ now: Timestamp
    ) -> Bool {
        guard search.from <= head else { return false }
        if let stepsMax = bounds.stepsMax, let row, row.steps - search.share >= stepsMax {
            return true
        }
        if let bytesMax = bounds.bytesMax, let row, row.bytes > bytesMax { return true }
        guard let age = bounds.ageMillisecondsMax else { return false }
        guard let newest = search.newest else { return true }
        return now.milliseconds - newest.milliseconds > age
    }

    /// Takes the steps of a block to the plan that go, and those machines out of `going` that
    /// have steps in it that stay.
    private func choose(
        in block: JournalBlock, _ bounds: [String: JournalBounds], _ now: Timestamp,
        _ going: inout Set<String>, _ plan: inout TrimPlan
    ) throws(StoreError) {
        var shares: [String: Share] = [:]
        for step in try block.heldSteps() where going.contains(step.machine) {
            shares[step.machine, default: Share()].steps.append(step)
        }
        var erased: Set<JournalPosition> = []
        for machine in going {
            guard let from = plan.searches[machine]?.from, from < block.end else { continue }
            guard let share = shares[machine], let first = share.steps.first,
                let last = share.steps.last
            else {
                plan.searches[machine] = MachineSearch(from: block.end)
                continue
            }
            let row = plan.machines.rows[machine] ?? MachineFloor()
            let counted = Int64(share.steps.count { $0.sequence <= row.counted })
            let goes =
                bounds[machine]?.allowsRemoval(
                    staying: row.steps - counted, newest: share.newest, bytes: row.bytes,
                    at: now) ?? false
            guard goes else {
                plan.searches[machine] = MachineSearch(
                    from: first.sequence, newest: share.newest, share: max(1, counted))
                going.remove(machine)
                continue
            }
            plan.machines.rows[machine] = row
            for step in share.steps {
                plan.machines.subtract(step)
                erased.insert(step.sequence)
            }
            plan.machines.rows[machine]?.first = last.sequence + 1
            plan.searches[machine] = MachineSearch(from: block.end)
        }
        if !erased.isEmpty { plan.erasures.append(BlockErasure(block: block, steps: erased)) }
    }

    /// The block that holds a step, not kept in memory.
    private func journalBlock(
        holding sequence: JournalPosition, _ tables: Tables
    ) throws(StoreError) -> JournalBlock {
        guard let block = try tables.journal.block(atOrBefore: sequence), sequence < block.end
        else { throw .corrupt("journal step \(sequence) is missing") }
        return block
    }
}
