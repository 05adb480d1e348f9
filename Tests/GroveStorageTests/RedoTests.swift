import Foundation
import GroveTestSupport
import Testing

@testable import GroveEngine
@testable import GroveStorage

/// Rows that are written after their commit, and `JournalRedo`, which makes them again from the
/// journal.
@Suite("Rows behind the journal")
struct RedoTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    /// A store with some instances, of which many rows are behind.
    private func prepared(
        _ options: SQLiteStoreOptions = SQLiteStoreOptions(), rounds: Int = 40
    ) throws -> (store: SQLiteStore, model: StoreModel) {
        let store = try SQLiteStore.open(
            path: TestDirectory.make() + "/data.grove", options: options)
        var model = StoreModel()
        for name in StoreModel.names { model.create(name) }
        try store.commit(model.takeWrites())
        for round in 0..<rounds {
            for (index, name) in StoreModel.names.enumerated() where index % 3 == round % 3 {
                model.step(
                    name, state: round % 2 == 0 ? Array("\(round)".utf8) : nil, outputs: 1,
                    key: index % 2 == 0 ? Array("key \(round)".utf8) : nil)
            }
            try store.commit(model.takeWrites())
        }
        return (store, model)
    }

    private func expectSame(
        _ store: SQLiteStore, _ model: StoreModel, isPurged: Bool = false
    ) throws {
        var random = SeededRandom(seed: 5)
        #expect(try difference(store, model, isPurged: isPurged, &random) == nil)
        #expect(try store.checkAll() == [])
    }

    private func setRedoPoint(_ store: SQLiteStore, _ step: JournalPosition) throws {
        try store.transaction(try store.tables()) { (_) throws(SQLiteFailure) in
            try RedoTable.write(RedoPoint(step: step), store.connection)
        }
    }

    @Test func `a crash loses nothing, and a stop leaves nothing to redo`() throws {
        var (store, model) = try prepared()
        let behind = store.pending.count
        #expect(behind > 250, "one row for each changed instance, and the dedup records")
        try expectSame(store, model)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(store.redoneSteps == model.head)
        while try store.makeRows() {}
        #expect(store.pending.count == behind)
        try expectSame(store, model)
        try store.close()
        #expect(try sqlite(store.path, "SELECT step FROM redo") == "\(model.head)\n")
        store = try SQLiteStore.open(path: store.path)
        #expect(store.redoneSteps == 0 && store.pending.count == 0)
        model.step("a/a", state: [7])
        try store.commit(model.takeWrites())
        #expect(store.pending.count == 1)
        try expectSame(store, model)
        try store.close()
    }

    @Test(arguments: 1...24)
    func `any mixture of commits, crashes, stops and copies loses nothing`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var options: SQLiteStoreOptions = seed % 3 == 0 ? SQLiteStoreOptions() : .small
        if seed % 3 == 1 { options.redoBounds = RedoBounds(steps: 8, bytes: 3_000) }
        var store = try SQLiteStore.open(
            path: TestDirectory.make() + "/data.grove", options: options)
        var model = StoreModel()
        var redone: Int64 = 0
        for _ in 0..<12 {
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                model.change(&random)
                try store.commit(model.takeWrites())
            }
            if Int.random(in: 0..<3, using: &random) == 0 { _ = try store.purge() }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: try store.close()
            case 1, 2: store.shutDown()
            default:
                try expectSame(store, model)
                continue
            }
            let looked = try SQLiteStore.inspect(path: store.path)
            try expectSame(looked, model)
            looked.shutDown()
            store = try SQLiteStore.open(path: store.path, options: options)
            redone += store.redoneSteps
            try expectSame(store, model)
        }
        #expect(redone > 0)
        try store.close()
    }

    @Test func `redoing steps that the rows have changes nothing`() throws {
        var (store, model) = try prepared()
        while try store.writeBackOldest(rows: 5, try store.tables()) {}
        #expect(store.pending.count == 0)
        try setRedoPoint(store, 0)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(store.redoneSteps == model.head)
        while try store.makeRows() {}
        #expect(store.pending.count == 0, "the rows have all steps")
        try expectSame(store, model)
        model.step("a/a", state: [7], key: [7])
        try store.commit(model.takeWrites())
        try expectSame(store, model)
        try store.close()
        store = try SQLiteStore.open(path: store.path)
        try expectSame(store, model)
        try store.close()
    }

    @Test func `a redo from the journal's first step gives every row that events changed`() throws {
        let (store, model) = try prepared()
        while try store.writeBackOldest(rows: 1_000, try store.tables()) {}
        do {
            let redo = try JournalRedo(
                after: RedoPoint(step: 0), first: store.first, head: store.head, lastNumber: 0,
                try store.tables())
            #expect(redo.steps == model.head)
            let pending = PendingRows(bounds: store.options.redoBounds, redo: redo)
            while try pending.makeSome(steps: 100) {}
            #expect(redo.isEmpty)
            #expect(pending.count == 0, "all rows are there")
            #expect(pending.redoPoint() == nil)
            #expect(pending.journalBytes > 40 * model.head)
        }
        try store.close()
    }

    // MARK: Effects

    @Test func `an effect that ends before its row is due never has one`() throws {
        var (store, model) = try prepared(rounds: 2)
        let table = { try Int64(sqliteRows(store)) }
        for round in 0..<30 {
            let refs = ["a/a", "ab/a", "b/1"].map { model.ask($0, lane: "pay") }
            try store.commit(model.takeWrites())
            #expect(try store.effects(inHandlerQueue: "pay", after: nil, limit: 9).count == 3)
            #expect(store.pending.effectCount == 3)
            #expect(try table() == 0)
            if round % 7 == 3 {
                try expectSame(store, model)
                store.shutDown()
                store = try SQLiteStore.open(path: store.path)
                #expect(try store.handlerQueues() == ["pay"])
                try expectSame(store, model)
            }
            for ref in refs { model.complete(ref) }
            try store.commit(model.takeWrites())
            #expect(try store.effects(inHandlerQueue: "pay", after: nil, limit: 9) == [])
        }
        #expect(store.pending.effectCount == 0)
        try expectSame(store, model)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(try store.effects(after: nil, limit: 9) == [])
        try expectSame(store, model)
        try store.close()
    }

    /// The number of rows in table `effects`.
    private func sqliteRows(_ store: SQLiteStore) throws -> Int64 {
        let statement = try store.connection.prepare("SELECT count(*) FROM effects")
        guard try statement.step() else { return -1 }
        defer { statement.reset() }
        return statement.integer(0)
    }

    @Test func `rows of effects are written back with those of their instance`() throws {
        var (store, model) = try prepared(rounds: 2)
        let refs = ["a/a", "a/a", "ab/a"].map { model.ask($0, lane: "pay") }
        try store.commit(model.takeWrites())
        while try store.writeBackOldest(rows: 5, try store.tables()) {}
        #expect(store.pending.effectCount == 0)
        #expect(try sqliteRows(store) == 3)
        try expectSame(store, model)
        // The end of one with a row is written with its commit, and so is another one that began
        // since in the same instance.
        model.ask("a/a", lane: "mail")
        try store.commit(model.takeWrites())
        #expect(try sqliteRows(store) == 3)
        model.complete(refs[0])
        model.complete(refs[2])
        try store.commit(model.takeWrites())
        #expect(try sqliteRows(store) == 2)
        #expect(store.pending.effectCount == 0)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        try expectSame(store, model)
        try store.close()
    }

    @Test func `an effect that gets a time has a row from then on`() throws {
        var (store, model) = try prepared(rounds: 2)
        let (first, second) = (model.ask("a/a", lane: "pay"), model.ask("a/a", lane: "pay"))
        try store.commit(model.takeWrites())
        model.change(first, due: 1_700_000_000_000)
        try store.commit(model.takeWrites())
        #expect(try sqliteRows(store) == 2, "both are of the step of the instance's row")
        #expect(try store.nextDue() == Timestamp(milliseconds: 1_700_000_000_000))
        try expectSame(store, model)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        try expectSame(store, model)
        model.end(second)
        model.delete("a/a")
        try store.commit(model.takeWrites())
        try expectSame(store, model)
        try store.close()
    }

    @Test func `a completion that memory lacks is made from the journal`() throws {
        var (store, model) = try prepared(rounds: 2)
        let ref = model.ask("a/a", lane: "pay")
        try store.commit(model.takeWrites())
        var other = model
        other.complete(ref)
        var writes = other.takeWrites()
        // A bug: the effect does not end in memory, and the journal has its end.
        writes = withoutEffects(writes)
        try store.commit(writes)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(try store.effect(ref) == nil, "the journal has its end")
        try expectSame(store, other)
        store.shutDown()
    }

    /// The same commit, without its changes to effects.
    private func withoutEffects(_ writes: WriteSet) -> WriteSet {
        var other = WriteSet(firstSequence: writes.firstSequence)
        other.journal = writes.journal
        other.journalEnds = writes.journalEnds
        other.snapshots = writes.snapshots
        other.instances = writes.instances
        other.dedups = writes.dedups
        return other
    }

    @Test func `an end that the table lacks is found by the check`() throws {
        var (store, model) = try prepared(rounds: 2)
        let ref = model.ask("a/a", lane: "pay")
        try store.commit(model.takeWrites())
        while try store.writeBackOldest(rows: 5, try store.tables()) {}
        model.complete(ref)
        // A bug: the row stays in its table, and that of the instance follows from the journal.
        try store.commit(withoutEffects(model.takeWrites()))
        #expect(try !store.checkAll().isEmpty)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(try !store.checkAll().isEmpty)
        var random = SeededRandom(seed: 5)
        #expect(try difference(store, model, isPurged: false, &random) != nil)
        store.shutDown()
    }

    @Test func `an effect that is made twice is found by the check`() throws {
        var (store, model) = try prepared(rounds: 2)
        let ref = model.ask("a/a", lane: "pay")
        let row = try #require(model.effects[ref])
        try store.commit(model.takeWrites())
        // A bug: its row is written, and that of its instance isn't.
        try store.transaction(try store.tables()) { (tables) throws(SQLiteFailure) in
            let body = Array("{}".utf8)
            try tables.effects.write(row, body: body, isNew: true)
        }
        #expect(try !store.checkAll().isEmpty)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(try !store.checkAll().isEmpty)
        store.shutDown()
    }

    // MARK: Bounds

    @Test func `the steps to redo and the rows in memory stay within their bounds`() throws {
        var options = SQLiteStoreOptions()
        options.redoBounds = RedoBounds(steps: 500, bytes: 60_000)
        var (store, model) = try prepared(options, rounds: 1)
        var random = SeededRandom(seed: 2)
        var largest = (steps: Int64(0), bytes: 0)
        for round in 0..<400 {
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                let name = StoreModel.names.randomElement(using: &random) ?? "a/a"
                let hasKey = Int.random(in: 0..<4, using: &random) == 0
                let length = Int.random(in: 0..<200, using: &random)
                model.step(
                    name, state: Array(repeating: 1, count: length),
                    key: hasKey ? Array("\(round) \(model.head)".utf8) : nil)
            }
            try store.commit(model.takeWrites())
            let oldest = store.pending.redoPoint() ?? RedoPoint(step: store.head)
            largest.steps = max(largest.steps, store.head - oldest.step)
            largest.bytes = max(largest.bytes, store.pending.bytes)
        }
        #expect(largest.steps > 150 || largest.bytes > 18_000, "much of a bound is used")
        #expect(largest.steps <= 500 && largest.bytes <= 60_000)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path, options: options)
        #expect(store.redoneSteps <= 500 + StoreLimits.redoPointSteps)
        try expectSame(store, model)
        try store.close()
    }

    @Test func `the row of a large snapshot is written with its commit`() throws {
        var (store, model) = try prepared(rounds: 3)
        model.step("a/a", state: Array(repeating: 1, count: StoreLimits.postponedSnapshotBytesMax))
        model.step("ab/a", state: Array(repeating: 2, count: 1_000))
        // One that can't be compressed.
        var random = SeededRandom(seed: 8)
        let noise = (0..<2 * StoreLimits.postponedSnapshotBytesMax).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        model.step("b/1", state: noise)
        try store.commit(model.takeWrites())
        let name = try #require(model.instances["a/a"]).name
        let number = try #require(model.instances["a/a"]).number
        #expect(try store.pending.instance(number, named: name) == nil)
        // A small one again, which is behind that row.
        model.step("a/a", state: [3])
        model.step("b/1", state: [3])
        try store.commit(model.takeWrites())
        #expect(try store.pending.instance(number, named: name) == model.instances["a/a"])
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        try expectSame(store, model)
        try store.close()
    }

    @Test func `a bucket with many dedup records is written back before its time`() throws {
        var (store, model) = try prepared(rounds: 0)
        for round in 0..<2 * StoreLimits.bucketRowsMax {
            model.step("a/a", key: Array("\(round)".utf8))
            if round % 50 == 49 { try store.commit(model.takeWrites()) }
            #expect(store.pending.count <= StoreLimits.bucketRowsMax + 51)
        }
        try store.commit(model.takeWrites())
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        try expectSame(store, model)
        try store.close()
    }

    // MARK: Deletion and retention

    @Test func `a deleted instance leaves nothing behind`() throws {
        var (store, model) = try prepared()
        for name in ["a/a", "ab/a", "b/1"] {
            model.step(name, state: [1], key: [9])
            model.delete(name)
            model.create(name, state: [2])
            model.step(name, state: [3], key: [9])
        }
        try store.commit(model.takeWrites())
        try expectSame(store, model)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        try expectSame(store, model)
        while try store.purge() {}
        try expectSame(store, model, isPurged: true)
        store.shutDown()
        // The steps of the deleted ones are erased now, and still after the redo point.
        store = try SQLiteStore.open(path: store.path)
        try expectSame(store, model, isPurged: true)
        try store.close()
    }

    @Test func `retention writes rows before it removes their steps`() throws {
        var (store, model) = try prepared()
        #expect(store.state.redo.step < 30)
        model.ask("a/a", lane: "pay")
        model.complete(model.ask("ab/a", lane: "pay"))
        try store.commit(model.takeWrites())
        for round in 0..<30 {
            model.step("b/1", state: [UInt8(round)])
            try store.commit(model.takeWrites())
        }
        while try store.truncate(to: JournalBounds(stepsMax: 20), at: Self.now) {}
        #expect(store.head - store.first < 60)
        #expect(store.state.redo.step >= store.first - 1)
        model.floor = store.first
        try expectSame(store, model)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        try expectSame(store, model)
        try store.close()
    }

    @Test func `retention of machines writes rows before it erases their steps`() throws {
        var (store, model) = try prepared(.small)
        let bounds = ["a": JournalBounds(stepsMax: 10), "c": JournalBounds(stepsMax: 5)]
        for round in 0..<30 {
            for name in ["a/a", "c/instance-1", "b/1"] { model.step(name, state: [UInt8(round)]) }
            if round % 4 == 0 { model.ask("a/a", lane: "pay") }
            if round % 4 == 2, let ref = model.effects.keys.randomElement() { model.complete(ref) }
            try store.commit(model.takeWrites())
            var turns = 0
            while try store.truncateMachines(to: bounds, at: Self.now), turns < 1_000 { turns += 1 }
            #expect(turns < 1_000)
            model.noteFloors(store)
            guard round % 5 == 0 else { continue }
            store.shutDown()
            store = try SQLiteStore.open(path: store.path, options: .small)
            try expectSame(store, model)
        }
        try store.close()
    }

    // MARK: Copies

    @Test func `a copy has its own steps to redo`() throws {
        let (store, model) = try prepared()
        let backup = try store.beginBackup()
        while backup.progress.bytes == nil { try backup.step() }
        let path = TestDirectory.make() + "/copy.grove"
        let bytes = try backup.read(at: 0, count: Int(backup.progress.bytes ?? 0))
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let looked = try SQLiteStore.inspect(path: path)
        #expect(looked.redoneSteps > 0)
        try expectSame(looked, model)
        looked.shutDown()
        let copy = try SQLiteStore.open(path: path)
        try expectSame(copy, model)
        try copy.close()
        try store.close()
    }

    // MARK: Damage

    @Test func `a full disk leaves the rows behind`() throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions()
        options.vfs = files.name
        options.redoBounds = RedoBounds(steps: 200, bytes: 1 << 20)
        var (store, model) = try prepared(options, rounds: 20)
        let behind = store.pending.count
        files.fail(
            .write, call: 1, with: FaultyFiles.Fault(code: 13, systemError: 28, isSticky: true))
        var other = model
        for name in StoreModel.names { other.step(name, state: [1]) }
        #expect(throws: StoreError.full) { try store.commit(other.takeWrites()) }
        #expect(store.pending.count == behind)
        files.heal()
        try expectSame(store, model)
        for name in StoreModel.names { model.step(name, state: [2]) }
        try store.commit(model.takeWrites())
        store.shutDown()
        store = try SQLiteStore.open(path: store.path, options: options)
        try expectSame(store, model)
        try store.close()
    }

    @Test func `a damaged row is passed over, and reading it fails`() throws {
        var (store, model) = try prepared()
        let damaged = try #require(model.instances["a/a"])
        try store.transaction(try store.tables()) { (_) throws(SQLiteFailure) in
            try store.connection.execute("UPDATE instances SET crc = crc + 1 WHERE name = 'a/a'")
        }
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        #expect(throws: StoreError.self) { try store.instance(named: damaged.name) }
        let sound = try #require(model.instances["c/instance-3"])
        #expect(try store.instance(named: sound.name) == sound)
        #expect(try !store.checkAll().isEmpty)
        store.shutDown()
    }

    @Test func `a row that is missing can't be made again`() throws {
        var (store, _) = try prepared()
        try store.transaction(try store.tables()) { (_) throws(SQLiteFailure) in
            try store.connection.execute("DELETE FROM instances WHERE name = 'a/a'")
        }
        store.shutDown()
        store = try expectUnusable(store.path, "has no row")
        store.shutDown()
    }

    /// A file whose rows can't be made again is refused by an inspection. A server opens it, and
    /// can't use it once it has tried to make the rows.
    private func expectUnusable(_ path: String, _ words: String) throws -> SQLiteStore {
        let error = #expect(throws: StoreOpenError.self) { try SQLiteStore.inspect(path: path) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.exitCode == 65)
        var store = try SQLiteStore.open(path: path)
        #expect(throws: StoreError.self) {
            while try store.writeBackOldest(rows: 10, try store.tables()) {}
        }
        store.shutDown()
        store = try SQLiteStore.open(path: path)
        #expect(throws: StoreError.self) { while try store.purge() {} }
        #expect(throws: StoreError.self) { try store.purge() }
        var writes = WriteSet(firstSequence: store.head + 1)
        writes.deletions = [WriteSet.Deletion(number: InstanceNumber(1), newest: 1)]
        #expect(throws: StoreError.self) { try store.commit(writes) }
        return store
    }

    @Test func `rows are made when they are needed`() throws {
        var (store, model) = try prepared()
        for number in 0..<400 { model.create("m/\(number)") }
        try store.commit(model.takeWrites())
        for round in 0..<5 {
            for number in 0..<400 {
                model.step("m/\(number)", state: Array("\(round)".utf8), key: [UInt8(round)])
            }
            try store.commit(model.takeWrites())
        }
        for round in 0..<3 {
            store.shutDown()
            store = try SQLiteStore.open(path: store.path)
            let waiting = store.pending.count
            #expect(waiting > 2_000)
            let read = try #require(model.instances["m/\(150 + round)"])
            #expect(try store.instance(named: read.name) == read)
            #expect(try store.dedup(read.number, key: [3]) == model.dedups[read.number]?[[3]])
            // These buckets aren't made yet.
            model.step("m/\(230 + round)", state: [1])
            model.delete("m/\(330 + round)")
            try store.commit(model.takeWrites())
            #expect(try store.makeRows(), "more rows are to be made")
            let name = try #require(InstanceName("m/\(330 + round)"))
            #expect(try store.instance(named: name) == nil)
            if round == 1 { try expectSame(store, model) }
        }
        while try store.purge() {}
        try expectSame(store, model, isPurged: true)
        try store.close()
        store = try SQLiteStore.open(path: store.path)
        #expect(store.redoneSteps == 0)
        try expectSame(store, model, isPurged: true)
        try store.close()
    }

    @Test func `a redo point after the journal's end is refused`() throws {
        let (store, model) = try prepared()
        try setRedoPoint(store, model.head + 1)
        store.shutDown()
        let error = #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: store.path) }
        #expect(error?.description.contains("the journal ends with \(model.head)") == true)
    }

    // MARK: Planted bugs, which these tests must find

    @Test func `a redo point that is one too high is found`() throws {
        var (store, model) = try prepared()
        model.step("a/a", state: [200])
        try store.commit(model.takeWrites())
        try setRedoPoint(store, model.head)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        var random = SeededRandom(seed: 5)
        #expect(try difference(store, model, isPurged: false, &random) != nil)
        #expect(try !store.checkAll().isEmpty)
        // A later step doesn't hide it.
        let name = try #require(InstanceName("a/a"))
        let stale = try #require(try store.instance(named: name))
        #expect(stale.newest < model.head)
        store.shutDown()
    }

    @Test func `a redo point in the middle is found by the next step of each instance`() throws {
        var (store, model) = try prepared()
        try setRedoPoint(store, model.head / 2)
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        let name = try #require(InstanceName("a/a"))
        let error = #expect(throws: StoreError.self) { try store.instance(named: name) }
        #expect("\(String(describing: error))".contains("does not follow the snapshot"))
        store.shutDown()
        store = try expectUnusable(store.path, "does not follow the snapshot")
        store.shutDown()
    }
}
