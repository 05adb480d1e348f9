import GroveEngine

extension SQLiteStore {
    /// Reads everything and returns all problems; an empty list for a sound file.
    ///
    /// It checks:
    /// - SQLite's own structures and the checksum of every row;
    /// - that the journal is dense, its chain holds, and every step is linked to its instance's
    ///   step before;
    /// - that every snapshot agrees with its newest step, and its state with the step that set it;
    /// - that no instance of the journal lacks its row;
    /// - that no step is held before its machine's floor;
    /// - that every effect has its instance, and every instance all of its effects; those that stop
    ///   the children of a deleted instance have none;
    /// - that exactly the effects that have failed or ask are in `attention`;
    /// - that principals, tokens and identities belong together, and that the audit's chain holds;
    /// - the counts.
    ///
    /// Takes time and memory in proportion to the file and blocks the queue, so a server must not
    /// call it while it serves.
    ///
    /// - Parameter progress: Called regularly with the journal steps read and their total.
    /// - Throws: `.inputOutput` when the file cannot be read.
    package func checkAll(
        progress: (_ done: Int64, _ all: Int64) -> Void = { _, _ in }
    ) throws(StoreError) -> [StoreProblem] {
        var check = StoreCheck()
        try reading { (tables) throws(StoreError) in
            try check.structures(connection)
            try check.journal(self, tables, progress)
            try check.garbage(tables)
            try check.effects(self, tables)
            try check.instances(self, tables)
            try check.dedups(self, tables)
            try check.accounts(self)
        }
        return check.problems
    }
}

/// The findings of a full check so far.
struct StoreCheck {
    private struct Newest {
        var sequence: JournalPosition
        var version: Int64
    }

    /// The rows of effects of one instance.
    private struct Effects {
        var count: Int64 = 0
        /// The number of those that only stop a child: they outlive a deleted instance.
        var stopping: Int64 = 0
        var lastEffectNumber: Int64 = 0
        /// The names of the instances in the rows.
        var owners: Set<String> = []
    }

    private(set) var problems: [StoreProblem] = []
    private var newest: [InstanceNumber: Newest] = [:]
    /// Whether a part of the journal can't be read.
    private var hasHole = false
    /// The counts of machines with floors, from the journal.
    private var machines: [String: MachineFloor] = [:]
    private var states: [JournalPosition: UInt32] = [:]
    private var effects: [InstanceNumber: Effects] = [:]
    /// The counts per machine, from the rows.
    private var counts: [String: MachineCounts] = [:]

    mutating func add(_ text: String) {
        if problems.count < StoreLimits.problemsMax {
            problems.append(StoreProblem(description: text))
        }
    }

    mutating func add(_ error: StoreError) throws(StoreError) {
        guard case .corrupt(let text) = error else { throw error }
        add(text)
    }

    mutating func structures(_ connection: SQLiteConnection) throws(StoreError) {
        do throws(SQLiteFailure) {
            let statement = try connection.prepare("PRAGMA integrity_check(100)")
            while try statement.step() {
                if statement.text(0) != "ok" { add("SQLite: \(statement.text(0))") }
            }
        } catch { try add(error.storeError) }
    }

    mutating func journal(
        _ store: SQLiteStore, _ tables: Tables, _ progress: (Int64, Int64) -> Void
    ) throws(StoreError) {
        var next = store.first
        var chain: UInt32? = store.state.floor.seed
        var bytes: Int64 = 0
        while next <= store.head {
            do throws(StoreError) {
                guard let block = try tables.journal.block(atOrBefore: next), block.first == next
                else { throw .corrupt("journal step \(next) is missing") }
                let expected = chain.map {
                    JournalBlock.chain(
                        after: $0, link: block.link, first: block.first,
                        count: Int64(block.steps.count))
                }
                if let expected, expected != block.chain {
                    add("the journal block at \(next) does not follow the one before")
                }
                try steps(of: block, tables, store)
                bytes += Int64(block.storedBytes)
                chain = block.chain
                next = block.end
            } catch {
                try add(error)
                chain = nil
                hasHole = true
                guard let later = try tables.journal.firstHeld(after: next) else { break }
                next = later
            }
            progress(min(next - 1, store.head), store.head)
        }
        if !hasHole, bytes != store.state.floor.bytes {
            add("the journal has \(bytes) bytes and should have \(store.state.floor.bytes)")
        }
        if !hasHole { compareFloors(store) }
        if let before = try tables.journal.firstHeld(after: 0), before < store.first {
            add("the journal has a block before step \(store.first)")
        }
    }

    private mutating func steps(
        of block: JournalBlock, _ tables: Tables, _ store: SQLiteStore
    ) throws(StoreError) {
        var isWhole = true
        for sequence in block.first..<block.end {
            let record = try block.record(at: sequence)
            switch record.kind {
            case .erased: isWhole = false
            case .deleted: break
            case .created, .step, .stopped, .effect: link(record, store.floors)
            case .suspended, .resumed, .setAside:
                // Number 0: no instance exists to which the step belongs.
                if record.number.value > 0 { link(record, store.floors) }
            }
            count(record, bytes: block.steps[Int(sequence - block.first)].count, store)
        }
        if isWhole, try !tables.journal.isAsFirstWritten(block) {
            add("the journal block at \(block.first) is not the one that was first written")
        }
    }

    /// Counts a step for the floor of its machine. Checks that the floor doesn't exclude it.
    private mutating func count(_ record: JournalRecord, bytes: Int, _ store: SQLiteStore) {
        guard !store.state.machines.rows.isEmpty, let name = record.name else { return }
        if record.sequence < store.floors.first(of: name) {
            add("journal step \(record.sequence) should be gone with its machine's old steps")
        }
        guard let row = store.state.machines.rows[name.machine], record.sequence <= row.counted
        else { return }
        machines[name.machine, default: MachineFloor()].steps += 1
        machines[name.machine, default: MachineFloor()].bytes += Int64(bytes)
    }

    /// Compares the counts of each machine with its row.
    private mutating func compareFloors(_ store: SQLiteStore) {
        if store.floors.journal > store.first {
            add("the journal begins before step \(store.floors.journal)")
        }
        for (machine, row) in store.state.machines.rows.sorted(by: { $0.key < $1.key }) {
            let found = machines[machine] ?? MachineFloor()
            guard found.steps != row.steps || found.bytes != row.bytes else { continue }
            add(
                "machine \(machine) has \(found.steps) steps of \(found.bytes) bytes up to step "
                    + "\(row.counted) and should have \(row.steps) of \(row.bytes)")
        }
    }

    private mutating func link(_ record: JournalRecord, _ floors: JournalFloors) {
        let first = record.name.map { floors.first(of: $0) } ?? floors.journal
        if let before = newest[record.number] {
            let version = before.version + (record.makesVersion ? 1 : 0)
            if record.previous != before.sequence || record.version != version {
                add("journal step \(record.sequence) does not follow step \(before.sequence)")
            }
        } else if !hasHole, record.previous >= first {
            add("journal step \(record.sequence) follows one that is not there")
        }
        if let state = record.state ?? record.base?.state {
            var checksum = Checksum()
            state.withUnsafeBytes { checksum.add($0) }
            states[record.sequence] = checksum.value
        }
        newest[record.number] = Newest(sequence: record.sequence, version: record.version)
    }

    mutating func garbage(_ tables: Tables) throws(StoreError) {
        var deletions: [Result<WriteSet.Deletion, StoreError>] = []
        try tables.garbage.forEach { deletions.append($0) }
        for result in deletions {
            switch result {
            case .success(let deletion): newest[deletion.number] = nil
            case .failure(let error): try add(error)
            }
        }
    }

    /// Counts an effect among those of its instance.
    private mutating func countOwn(_ effect: StoredEffect) {
        var own = effects[effect.ref.instance, default: Effects()]
        own.count += 1
        if effect.body.phase == .stopping { own.stopping += 1 }
        own.owners.insert(effect.body.owner)
        own.lastEffectNumber = max(own.lastEffectNumber, effect.ref.number)
        effects[effect.ref.instance] = own
    }

    mutating func effects(_ store: SQLiteStore, _ tables: Tables) throws(StoreError) {
        var count: Int64 = 0
        var broken: [StoreError] = []
        var attentions: [EffectRef: AttentionEntry] = [:]
        try tables.effects.forEach { ref, row in
            count += 1
            switch row {
            case .failure(let error): broken.append(error)
            case .success(let effect):
                countOwn(effect)
                attentions[ref] = AttentionEntry(effect)
            }
        }
        do throws(StoreError) {
            for effect in try store.pending.effects(after: nil, limit: .max) { countOwn(effect) }
        } catch { broken.append(error) }
        for error in broken { try add(error) }
        if count != store.state.meta.effects {
            add("there are \(count) effects and should be \(store.state.meta.effects)")
        }
        try compare(attentions, isComplete: broken.isEmpty, store, tables)
    }

    /// Compares the effects that have failed or ask with the rows of `attention`.
    private mutating func compare(
        _ expected: [EffectRef: AttentionEntry], isComplete: Bool, _ store: SQLiteStore,
        _ tables: Tables
    ) throws(StoreError) {
        for entry in expected.values {
            counts[entry.machine, default: MachineCounts()][entry.attention] += 1
        }
        guard store.state.counts.isKept else { return }
        let table = try tables.readAttention()
        var missing = expected
        var problems: [String] = []
        try table.forEach { row in
            switch row {
            case .failure(let error): problems.append("\(error)")
            case .success(let entry):
                guard isComplete, missing.removeValue(forKey: entry.ref) != entry else { return }
                problems.append(
                    "effect \(entry.ref.number) of instance \(entry.ref.instance.value) is listed "
                        + "in attention and should not be")
            }
        }
        for problem in problems { add(problem) }
        if !isComplete { return }
        for ref in missing.keys.sorted() {
            add(
                "effect \(ref.number) of instance \(ref.instance.value) has failed or asks and is "
                    + "not listed in attention")
        }
    }

    mutating func instances(_ store: SQLiteStore, _ tables: Tables) throws(StoreError) {
        var count: Int64 = 0
        var broken: [StoreError] = []
        try tables.instances.forEach { row in
            count += 1
            switch row {
            case .failure(let error): broken.append(error)
            case .success(let row):
                do throws(StoreError) {
                    let instance = try store.newest(row)
                    counts[instance.name.machine, default: MachineCounts()].instances += 1
                    if instance.isDone { counts[instance.name.machine]?.done += 1 }
                    compare(instance, store)
                } catch { broken.append(error) }
            }
        }
        for error in broken { try add(error) }
        if count != store.state.meta.instances {
            add("there are \(count) instances and should be \(store.state.meta.instances)")
        }
        if broken.isEmpty {
            compareCounts(store)
            for (number, last) in newest.sorted(by: { $0.key < $1.key }) {
                add("instance \(number.value) of journal step \(last.sequence) has no row")
            }
            for (number, own) in effects.sorted(by: { $0.key < $1.key }) {
                checkDeleted(number, own, store)
            }
        }
    }

    private mutating func compareCounts(_ store: SQLiteStore) {
        guard store.state.counts.isKept else { return }
        let kept = store.machineCounts
        for machine in Set(kept.keys).union(counts.keys).sorted() {
            let found = counts[machine] ?? MachineCounts()
            let counts = kept[machine] ?? MachineCounts()
            guard found != counts else { continue }
            add(
                "machine \(machine) has \(found.instances) instances, \(found.done) done, "
                    + "\(found.failed) failed effects and \(found.asking) that ask, and should "
                    + "have \(counts.instances), \(counts.done), \(counts.failed) and "
                    + "\(counts.asking)")
        }
    }

    private mutating func compare(_ instance: StoredInstance, _ store: SQLiteStore) {
        let number = instance.number.value
        let last = newest.removeValue(forKey: instance.number)
        let first = store.floors.first(of: instance.name)
        let isHeld = instance.newest >= first
        if isHeld
            ? last?.sequence != instance.newest || last?.version != instance.version
            : last != nil
        {
            add("the snapshot of instance \(number) does not agree with its newest journal step")
        }
        var checksum = Checksum()
        instance.state.withUnsafeBytes { checksum.add($0) }
        if instance.stateAt >= first, states[instance.stateAt] != checksum.value {
            add("the state of instance \(number) is not that of journal step \(instance.stateAt)")
        }
        compare(instance, with: effects.removeValue(forKey: instance.number) ?? Effects())
        if instance.number > store.lastInstanceNumber {
            add("instance \(number) has a number that was never given")
        }
    }

    private mutating func compare(_ instance: StoredInstance, with own: Effects) {
        let number = instance.number.value
        if own.count != instance.effectCount {
            add(
                "instance \(number) has \(own.count) effects and should have "
                    + "\(instance.effectCount)")
        }
        if own.lastEffectNumber > instance.lastEffectNumber {
            add("effect \(own.lastEffectNumber) of instance \(number) was never asked for")
        }
        if !own.owners.isSubset(of: [instance.name.text]) {
            add("an effect of instance \(number) is said to be another's")
        }
    }

    /// Checks the effects of an instance that is gone: they may only stop its children.
    private mutating func checkDeleted(
        _ number: InstanceNumber, _ own: Effects, _ store: SQLiteStore
    ) {
        let left = own.count - own.stopping
        if left > 0 { add("there are \(left) effects of instance \(number.value), which is not") }
        if number > store.lastInstanceNumber {
            add("instance \(number.value) of an effect has a number that was never given")
        }
        if own.owners.count > 1 {
            add("an effect of instance \(number.value) is said to be another's")
        }
    }

    mutating func dedups(_ store: SQLiteStore, _ tables: Tables) throws(StoreError) {
        var broken: [StoreError] = []
        try tables.dedup.forEach { number, row in
            switch row {
            case .failure(let error): broken.append(error)
            case .success(let entry):
                if entry.sequence > store.head || entry.sequence < 1 {
                    add("a dedup record of instance \(number.value) points past the journal")
                }
            }
        }
        for error in broken { try add(error) }
    }
}
