import CSQLite
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// Purging deleted instances: bounded turns, faults, damage. The contract's suite tests
/// that the right rows are removed.
@Suite("Purging")
struct PurgeTests {
    /// A store with one long instance deleted and another kept.
    private func prepared(
        _ options: SQLiteStoreOptions, steps: Int
    ) throws -> (store: SQLiteStore, model: StoreModel) {
        let store = try SQLiteStore.open(
            path: TestDirectory.make() + "/data.grove", options: options)
        var model = StoreModel()
        model.create("a/a")
        model.create("a/aa")
        for round in 0..<steps {
            model.step("a/a", state: Array("state \(round)".utf8), key: Array("\(round)".utf8))
            model.step("a/aa", outputs: 1)
            if round % 20 == 19 { try store.commit(model.takeWrites()) }
        }
        model.delete("a/a")
        try store.commit(model.takeWrites())
        return (store, model)
    }

    /// Opens the file of a store that has failed, or was left within a turn, and expects exactly
    /// the model's data after all purging.
    private func expectPurgedAfterRestart(_ store: SQLiteStore, _ model: StoreModel) throws {
        let path = store.path
        store.shutDown()
        let again = try SQLiteStore.open(path: path)
        try purgeAll(again)
        var random = SeededRandom(seed: 1)
        #expect(try difference(again, model, isPurged: true, &random) == nil)
        #expect(try again.checkAll() == [])
        try again.close()
    }

    @Test func `does bounded work in each turn`() throws {
        let (store, _) = try prepared(.small, steps: 1_000)
        var last: Int64 = 0
        var turns = 0
        while try store.purge() {
            let erased = store.counters.erasedSteps
            #expect(erased - last <= 16 * 300, "at most sixteen blocks")
            last = erased
            turns += 1
        }
        #expect(store.counters.erasedSteps == 1_001)
        #expect(turns > 5)
        #expect(try !store.purge())
        try store.close()
    }

    @Test func `purging erases in compressed blocks and keeps the other steps`() throws {
        var options = SQLiteStoreOptions.small
        options.compressionBytesMin = 1
        options.blockBytesMax = 4_000
        let (store, model) = try prepared(options, steps: 300)
        try purgeAll(store)
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        #expect(try store.checkAll() == [])
        try store.close()
    }

    @Test func `erased steps show at once, also those read before`() throws {
        let (store, model) = try prepared(SQLiteStoreOptions(), steps: 10)
        #expect(try store.record(at: 1)?.kind == .created)
        try purgeAll(store)
        #expect(try store.record(at: 1)?.kind == .erased)
        #expect(try store.record(at: 2) == model.records[1])
        try store.close()
    }

    @Test func `purging leaves nothing of a deleted instance in the file`() throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("secret/name-of-it", state: Array("secret-state".utf8))
        model.step("secret/name-of-it", event: Array("secret-event".utf8))
        try store.commit(model.takeWrites())
        model.create("a/a")
        model.delete("secret/name-of-it")
        try store.commit(model.takeWrites())
        try purgeAll(store)
        try store.close()
        let found = try run("grep", "-c", "secret-event", path)
        #expect(found.output.hasPrefix("0"))
    }

    @Test func `a full disk stops purging until the next start`() throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        let (store, model) = try prepared(options, steps: 300)
        files.fail(
            .write, call: 1,
            with: FaultyFiles.Fault(code: SQLITE_FULL, systemError: 28, isSticky: true))
        #expect(try !store.purge())
        #expect(store.failure == nil)
        files.heal()
        try expectPurgedAfterRestart(store, model)
    }

    @Test func `survives a failed sync at every turn`() throws {
        for call in 1...6 {
            let files = try #require(FaultyFiles())
            var options = SQLiteStoreOptions.small
            options.vfs = files.name
            let (store, model) = try prepared(options, steps: 800)
            files.fail(.sync, call: call, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
            #expect(throws: StoreError.self) { try purgeAll(store) }
            try expectPurgedAfterRestart(store, model)
        }
    }

    @Test(arguments: [Int64(2), 5])
    func `wrong links stop purging without changes`(newest: Int64) throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        model.create("a/a")
        model.create("a/aa")
        model.step("a/aa")
        try store.commit(model.takeWrites())
        model.delete("a/a")
        var writes = model.takeWrites()
        // A step of another instance, and an absent one.
        writes.deletions[0].newest = newest
        try store.commit(writes)
        #expect(throws: StoreError.self) { try store.purge() }
        #expect(try !store.purge(), "not tried again and again")
        for sequence in 1...3 {
            #expect(try store.record(at: Int64(sequence)) == model.records[sequence - 1])
        }
        #expect(store.failure == nil, "everything else goes on")
        try store.close()
    }

    @Test func `purging handles many deleted instances in one block`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        for number in 0..<30 { model.create("c/instance-\(number)") }
        for _ in 0..<3 { for number in 0..<30 { model.step("c/instance-\(number)") } }
        try store.commit(model.takeWrites())
        for number in 0..<30 where number % 2 == 0 { model.delete("c/instance-\(number)") }
        try store.commit(model.takeWrites())
        try purgeAll(store)
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        #expect(try store.checkAll() == [])
        try store.close()
    }
}
