import CSQLite
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// Removing the old steps of single machines: bounded turns, the count, faults, damage, older
/// files. The contract's suite tests which steps are removed and which stay.
@Suite("Truncating machines in a data file")
struct MachineTruncationTests {
    private static let keepFew = [
        "a": JournalBounds(stepsMax: 50), "c": JournalBounds(stepsMax: 1),
    ]
    private static let now = Timestamp(milliseconds: 0)

    /// A store with an instance of each of two machines and many steps.
    private func prepared(
        _ options: SQLiteStoreOptions = .small, steps: Int = 400
    ) throws -> (store: SQLiteStore, model: StoreModel) {
        try filledStore(options, beside: "b/1", steps: steps)
    }

    private func truncateAll(_ store: SQLiteStore, _ bounds: [String: JournalBounds]) throws {
        while try store.truncateMachines(to: bounds, at: Self.now) {}
    }

    private func expectSound(_ store: SQLiteStore, _ model: StoreModel) throws {
        var model = model
        model.noteFloors(store)
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        #expect(try store.checkAll() == [])
    }

    private func held(_ store: SQLiteStore, _ machine: String) throws -> Int {
        try store.records(after: 0, limit: 100_000, bytes: .max).count {
            $0.name?.machine == machine
        }
    }

    /// Opens the file again after the store's end: removed steps are gone, held ones
    /// are there, and truncation continues.
    private func expectSoundAfterRestart(_ store: SQLiteStore, _ model: StoreModel) throws {
        let path = store.path
        let floors = store.floors
        store.shutDown()
        let again = try SQLiteStore.open(path: path, options: .small)
        #expect(again.floors.first(of: "a") >= floors.first(of: "a"))
        #expect(again.floors.first(of: "b") == 1)
        try expectSound(again, model)
        try truncateAll(again, Self.keepFew)
        #expect((50..<75).contains(try held(again, "a")))
        #expect(try held(again, "b") == model.places("b").count)
        try expectSound(again, model)
        try again.close()
    }

    private func numbers(_ store: SQLiteStore) -> [String: Int64] {
        Dictionary(uniqueKeysWithValues: store.statistics())
    }

    // MARK: Turns

    @Test func `each turn does bounded work, and counts it`() throws {
        let (store, model) = try prepared(steps: 1_500)
        var turns = 0
        var trimmed: Int64 = 0
        while try store.truncateMachines(to: Self.keepFew, at: Self.now) {
            let now = numbers(store)["trimmed_steps"] ?? 0
            #expect(now - trimmed <= 8 * 20, "8 blocks of at most some steps")
            trimmed = now
            turns += 1
        }
        #expect(turns > 10)
        #expect(trimmed == Int64(model.places("a").count - (try held(store, "a"))))
        #expect(numbers(store)["removed_steps"] == 0, "these were not cut")
        try expectSound(store, model)
        try store.close()
    }

    @Test func `counting runs in turns, and truncation is right meanwhile`() throws {
        let (store, _) = try prepared(steps: 1_500)
        let head = store.head
        var counted: JournalPosition = 0
        let bounds = ["a": JournalBounds(stepsMax: 100), "b": JournalBounds(bytesMax: 1 << 40)]
        var least = Int.max
        while try store.truncateMachines(to: bounds, at: Self.now) {
            let row = try #require(store.state.machines.rows["a"])
            #expect(row.counted >= counted && row.counted <= head)
            counted = row.counted
            least = min(least, try held(store, "a"))
        }
        #expect(counted == head && (100..<120).contains(least))
        #expect(store.state.machines.rows["b"]?.steps == 1_501)
        #expect(try store.checkAll() == [])
        try store.close()
    }

    /// A store in which each of several machines has steps in its own blocks, two in a commit.
    private func crowd(_ machines: Int, steps: Int) throws -> (store: SQLiteStore, StoreModel) {
        let store = try SQLiteStore.open(
            path: TestDirectory.make() + "/data.grove", options: .small)
        var model = StoreModel()
        for machine in 0..<machines { model.create("m\(machine)/a") }
        try store.commit(model.takeWrites())
        for _ in 0..<(steps / 2) {
            for machine in 0..<machines {
                for _ in 0..<2 { model.step("m\(machine)/a") }
                try store.commit(model.takeWrites())
            }
        }
        return (store, model)
    }

    @Test func `many machines end within their bounds and a block`() throws {
        let (store, model) = try crowd(12, steps: 20)
        var bounds: [String: JournalBounds] = [:]
        for machine in 0..<12 { bounds["m\(machine)"] = JournalBounds(stepsMax: 9) }
        var turns = 0
        while try store.truncateMachines(to: bounds, at: Self.now) {
            turns += 1
            try #require(turns < 1_000, "it never comes to rest")
        }
        for machine in 0..<12 { #expect((9...10).contains(try held(store, "m\(machine)"))) }
        #expect(try !store.truncateMachines(to: bounds, at: Self.now))
        try expectSound(store, model)
        try store.close()
    }

    @Test func `a long search for one machine doesn't delay others`() throws {
        var (store, model) = try prepared(steps: 6_000)
        try truncateAll(store, ["a": JournalBounds(stepsMax: 50)])
        // From the journal's beginning: its steps must be counted, and those of `none` looked for.
        let bounds = [
            "a": JournalBounds(stepsMax: 50), "b": JournalBounds(stepsMax: 10_000),
            "none": JournalBounds(ageMillisecondsMax: 1),
        ]
        var turns = 0
        while try store.truncateMachines(to: bounds, at: Self.now) {
            turns += 1
            guard turns < 40 else { continue }
            for _ in 0..<10 { model.step("a/a") }
            try store.commit(model.takeWrites())
            // Every sixth turn is its own.
            #expect(try held(store, "a") < 200, "turn \(turns)")
        }
        #expect(turns > 40)
        #expect((50..<75).contains(try held(store, "a")))
        try expectSound(store, model)
        try store.close()
    }

    @Test(arguments: [true, false])
    func `counts and floors are known after every kind of end`(isClosed: Bool) throws {
        var (store, model) = try prepared()
        let path = store.path
        try truncateAll(store, Self.keepFew)
        for round in 0..<5 {
            for _ in 0..<40 { model.step("a/a", state: [UInt8(round)]) }
            try store.commit(model.takeWrites())
            if round == 3 { model.delete("a/a") }
            try store.commit(model.takeWrites())
            if round == 3 { model.create("a/a") }
            _ = try store.truncateMachines(to: Self.keepFew, at: Self.now)
            if round > 2 { _ = try store.purge() }
            let (floors, rows) = (store.floors, store.state.machines.rows)
            if isClosed { try store.close() } else { store.shutDown() }
            store = try SQLiteStore.open(path: path, options: .small)
            #expect(store.floors == floors)
            if isClosed { #expect(store.state.machines.rows == rows) }
            #expect(try store.checkAll() == [])
        }
        try purgeAll(store)
        try truncateAll(store, Self.keepFew)
        try expectSound(store, model)
        try store.close()
    }

    @Test func `an unknown machine costs no read of the journal`() throws {
        let (store, _) = try prepared()
        #expect(try !store.truncateMachines(to: [:], at: Self.now))
        #expect(store.searches.isEmpty && store.state.machines.rows.isEmpty)
        // One search of everything, then only of new steps.
        let age = ["c": JournalBounds(ageMillisecondsMax: 1)]
        try truncateAll(store, age)
        #expect(store.searches["c"]?.from == store.head + 1)
        let oldest = ["a": JournalBounds(ageMillisecondsMax: 1 << 40)]
        try truncateAll(store, oldest)
        #expect(store.searches["a"]?.from == 1 && store.searches["a"]?.newest != nil)
        #expect(store.searches["c"] == nil, "it has no bounds any more")
        try store.close()
    }

    // MARK: Faults

    @Test func `a full disk stops it, and nothing was removed`() throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        let (store, model) = try prepared(options)
        files.fail(
            .write, call: 1,
            with: FaultyFiles.Fault(code: SQLITE_FULL, systemError: 28, isSticky: true))
        let error = #expect(throws: StoreError.self) { try truncateAll(store, Self.keepFew) }
        #expect(error == .full && store.failure == nil)
        #expect(store.floors == JournalFloors(journal: 1))
        files.heal()
        try expectSoundAfterRestart(store, model)
    }

    @Test(arguments: [FaultyFiles.Kind.write, .sync])
    func `it survives an error at every turn`(operation: FaultyFiles.Kind) throws {
        for call in 1...6 {
            let files = try #require(FaultyFiles())
            var options = SQLiteStoreOptions.small
            options.vfs = files.name
            let (store, model) = try prepared(options, steps: 1_000)
            files.fail(
                operation, call: call, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
            #expect(throws: StoreError.self) { try truncateAll(store, Self.keepFew) }
            #expect(store.failure != nil, "nothing is promised any more")
            try expectSoundAfterRestart(store, model)
        }
    }

    @Test(arguments: 1...8)
    func `a crash after any turn keeps that turn`(turns: Int) throws {
        let (store, model) = try prepared(steps: 1_000)
        for _ in 1...turns { _ = try store.truncateMachines(to: Self.keepFew, at: Self.now) }
        let floors = store.floors
        let path = store.path
        store.shutDown()
        let again = try SQLiteStore.open(path: path, options: .small)
        #expect(again.floors == floors)
        try expectSoundAfterRestart(again, model)
    }

    // MARK: Damage

    @Test(arguments: [
        "UPDATE journal SET crc = 0 WHERE first = 1",
        "DELETE FROM journal WHERE first = (SELECT max(first) FROM journal WHERE first < 20)",
    ])
    func `damage stops it, and the steps stay`(sql: String) throws {
        let (store, _) = try prepared()
        let path = store.path
        try store.close()
        try sqlite(path, sql)
        let again = try SQLiteStore.open(path: path, options: .small)
        let error = #expect(throws: StoreError.self) { try truncateAll(again, Self.keepFew) }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(again.failure == nil && again.floors == JournalFloors(journal: 1))
        try again.close()
    }

    @Test(arguments: [
        "UPDATE machine_floors SET first = first + 1",
        "UPDATE machine_floors SET machine = 'ax' WHERE machine = 'a'",
        "UPDATE machine_floors SET steps = steps + 1 WHERE machine = 'a'",
    ])
    func `a forged row of a machine is refused`(sql: String) throws {
        let (store, _) = try prepared()
        try truncateAll(store, Self.keepFew)
        let path = store.path
        try store.close()
        try sqlite(path, sql)
        let error = #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
        #expect(error?.exitCode == 65)
        #expect(error?.description.contains("machine_floors does not match") == true)
    }

    /// Rows with a correct checksum and wrong content: no fault of a disk makes them, but a
    /// fault of this program might.
    @Test(arguments: [
        ("too late", "should be gone"), ("too early", "is not there"),
        ("none", "is not there"), ("more steps", "steps of"), ("fewer bytes", "steps of"),
        ("past the end", "past the journal's end"),
    ])
    func `a full check finds a floor that is wrong`(change: String, words: String) throws {
        let (store, _) = try prepared()
        try truncateAll(store, Self.keepFew)
        let path = store.path
        let pastEnd = store.head + 2
        switch change {
        case "too late": store.state.machines.rows["a"]?.first += 60
        case "too early": store.state.machines.rows["a"]?.first -= 60
        case "none": store.state.machines.rows["a"] = nil
        case "more steps": store.state.machines.rows["a"]?.steps += 1
        case "fewer bytes": store.state.machines.rows["a"]?.bytes -= 1
        default: store.state.machines.rows["a"]?.first = pastEnd
        }
        try store.close()
        do {
            let again = try SQLiteStore.inspect(path: path)
            let problems = try again.checkAll().map(\.description)
            #expect(problems.contains { $0.contains(words) }, "\(problems.first ?? "none")")
            #expect(problems.count < 200, "\(problems.count) problems")
        } catch let error as StoreOpenError {
            #expect(change == "past the end" && error.description.contains(words))
        }
    }

    // MARK: Older files

    @Test(arguments: [1, 2], [true, false])
    func `a file of an older schema is migrated with its data`(
        schema: Int, isClosed: Bool
    ) throws {
        var (store, model) = try prepared()
        let path = store.path
        if schema > 1 {
            while try store.truncate(to: JournalBounds(stepsMax: 500), at: Self.now) {}
            #expect(store.first > 200)
        }
        let first = store.first
        try store.close()
        try makeOld(path, schema: schema)
        store = try SQLiteStore.open(path: path, options: .small)
        #expect(store.floors == JournalFloors(journal: first))
        try expectSound(store, model)
        if isClosed { try store.close() } else { store.shutDown() }
        store = try SQLiteStore.open(path: path, options: .small)
        #expect(try store.connection.integer("PRAGMA user_version") == Schema.version)
        try truncateAll(store, Self.keepFew)
        #expect((50..<75).contains(try held(store, "a")))
        try expectSound(store, model)
        try store.close()
        model.noteFloors(store)
        // An older program refuses it and changes nothing: see the opening tests.
        #expect(try sqlite(path, "PRAGMA user_version") == "8\n")
    }

    @Test(arguments: [1, 2])
    func `a file of an older schema is inspected without changes`(schema: Int) throws {
        let (store, _) = try prepared()
        let path = store.path
        try store.close()
        try makeOld(path, schema: schema)
        let looked = try SQLiteStore.inspect(path: path)
        #expect(looked.floors == JournalFloors(journal: 1))
        #expect(try looked.checkAll().isEmpty)
        looked.shutDown()
        #expect(try sqlite(path, "PRAGMA user_version") == "\(schema)\n")
    }

    @Test(arguments: [1, 2])
    func `a failed migration succeeds at the second attempt`(
        schema: Int
    ) throws {
        for call in 1...3 {
            let files = try #require(FaultyFiles())
            let (store, model) = try prepared()
            let path = store.path
            try store.close()
            try makeOld(path, schema: schema)
            var options = SQLiteStoreOptions()
            options.vfs = files.name
            files.fail(.sync, call: call, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
            #expect(throws: StoreOpenError.self) {
                try SQLiteStore.open(path: path, options: options)
            }
            let again = try SQLiteStore.open(path: path)
            try expectSound(again, model)
            try again.close()
        }
    }
}
