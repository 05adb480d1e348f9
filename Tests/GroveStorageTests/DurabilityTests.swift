import CSQLite
import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// What is synced before a call returns (reliability.md, P1). Killing the process can't show this;
/// counting can.
@Suite("Syncs of SQLiteStore")
struct DurabilityTests {
    private func open(
        _ files: FaultyFiles, _ options: SQLiteStoreOptions = SQLiteStoreOptions()
    ) throws -> (path: String, store: SQLiteStore) {
        let path = TestDirectory.make() + "/data.grove"
        var options = options
        options.vfs = files.name
        return (path, try SQLiteStore.open(path: path, options: options))
    }

    @Test func `syncs the log once for every commit, however large`() throws {
        let files = try #require(FaultyFiles())
        let (_, store) = try open(files)
        var model = StoreModel()
        for name in StoreModel.names { model.create(name) }
        try store.commit(model.takeWrites())
        for round in 0..<20 {
            for name in StoreModel.names.prefix(round + 1) {
                model.step(name, state: Array("\(round)".utf8), key: Array("\(round)".utf8))
            }
            let before = files.calls[.sync] ?? 0
            try store.commit(model.takeWrites())
            #expect(files.calls[.sync] == before + 1)
        }
        try store.close()
    }

    @Test func `deletions, purging and dedup records alone are synced too`() throws {
        let files = try #require(FaultyFiles())
        let (_, store) = try open(files)
        var model = StoreModel()
        model.create("a/a")
        model.step("a/a", key: [1])
        try store.commit(model.takeWrites())
        model.delete("a/a")
        var before = files.calls[.sync] ?? 0
        try store.commit(model.takeWrites())
        #expect(files.calls[.sync] == before + 1)
        before = files.calls[.sync] ?? 0
        #expect(try !store.purge(), "one turn is enough")
        #expect(files.calls[.sync] == before + 1)
        try store.close()
    }

    @Test func `syncs once for effects alone`() throws {
        let files = try #require(FaultyFiles())
        let (_, store) = try open(files)
        var model = StoreModel()
        model.create("a/a")
        let ref = model.begin("a/a", due: 1)
        try store.commit(model.takeWrites())
        for row in [model.effects[ref], nil] {
            let before = files.calls[.sync] ?? 0
            model.write(row, ref)
            try store.commit(model.takeWrites())
            #expect(files.calls[.sync] == before + 1)
        }
        #expect(store.head == 1)
        try store.close()
    }

    @Test(arguments: [true, false])
    func `keeps effects over a crash or a stop`(isClosed: Bool) throws {
        let path = TestDirectory.make() + "/data.grove"
        var model = StoreModel()
        var random = SeededRandom(seed: 12)
        for name in ["a/a", "a/aa", "b/1"] { model.create(name) }
        for round in 0..<20 {
            let store = try SQLiteStore.open(path: path)
            #expect(store.state.meta.effects == Int64(model.effects.count))
            #expect(
                try round == 0 || difference(store, model, isPurged: true, &random) == nil)
            let ref = model.begin("a/a", due: Int64(round % 3), lane: round < 9 ? "pay" : nil)
            model.begin("a/aa", lane: "mail")
            try store.commit(model.takeWrites())
            if round % 2 == 0 { model.end(ref) } else { model.change(ref, due: 7) }
            try store.commit(model.takeWrites())
            if isClosed { try store.close() } else { store.shutDown() }
        }
        let store = try SQLiteStore.open(path: path)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        #expect(try store.checkAll() == [])
        try store.close()
    }

    @Test func `syncs nothing for reads and empty commits`() throws {
        let files = try #require(FaultyFiles())
        let (_, store) = try open(files)
        var model = StoreModel()
        for name in StoreModel.names { model.create(name) }
        try store.commit(model.takeWrites())
        let before = (files.calls[.sync], files.calls[.write])
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        try store.commit(model.takeWrites())
        #expect(try !store.purge())
        #expect(files.calls[.sync] == before.0)
        #expect(files.calls[.write] == before.1)
        try store.close()
    }

    @Test func `syncs log and file in a checkpoint, and the file before the log is emptied`()
        throws
    {
        let files = try #require(FaultyFiles())
        let (path, store) = try open(files)
        var model = StoreModel()
        for name in StoreModel.names { model.create(name) }
        try store.commit(model.takeWrites())
        // A close that can't sync must leave the log as it is.
        files.fail(
            .sync, call: 2, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8), isSticky: true))
        #expect(throws: StoreError.self) { try store.close() }
        #expect((StoreFile.size(path + "-wal") ?? 0) > 0)
        let again = try SQLiteStore.open(path: path)
        #expect(again.head == model.head)
        try again.close()
        #expect(StoreFile.size(path + "-wal") == nil)
    }

    @Test func `opening fails when the log of a crash can't be synced`() throws {
        let files = try #require(FaultyFiles())
        let (path, store) = try open(files)
        var model = StoreModel()
        model.create("a/a")
        try store.commit(model.takeWrites())
        store.shutDown()
        var options = SQLiteStoreOptions()
        options.vfs = files.name
        for call in 1...3 {
            files.fail(
                .sync, call: call,
                with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8), isSticky: true))
            let error = #expect(throws: StoreOpenError.self) {
                try SQLiteStore.open(path: path, options: options)
            }
            #expect(error?.exitCode == 74)
        }
        files.heal()
        let again = try SQLiteStore.open(path: path, options: options)
        #expect(again.head == 1)
        try again.close()
    }

    @Test func `keeps the log within its bound and uses it again`() throws {
        let path = TestDirectory.make() + "/data.grove"
        var options = SQLiteStoreOptions()
        options.logBytesMax = 500_000
        let store = try SQLiteStore.open(path: path, options: options)
        var model = StoreModel()
        var random = SeededRandom(seed: 3)
        var largest = 0
        for name in StoreModel.names { model.create(name) }
        for _ in 0..<300 {
            for name in StoreModel.names.shuffled(using: &random).prefix(5) {
                model.step(name, state: Array(repeating: 1, count: 3_000))
            }
            try store.commit(model.takeWrites())
            largest = max(largest, StoreFile.size(path + "-wal") ?? 0)
        }
        #expect(store.counters.checkpoints >= 5)
        #expect(largest < 800_000, "bound, one commit and the note of the head")
        let gauges = Dictionary(
            uniqueKeysWithValues: store.statistics().map { ($0.name, $0.value) })
        #expect(gauges["commits"] == 300)
        #expect(gauges["journal_steps"] == model.head)
        #expect(gauges["instances"] == Int64(StoreModel.names.count))
        #expect(gauges["wal_bytes"] == Int64(StoreFile.size(path + "-wal") ?? 0))
        #expect(gauges["file_bytes"] == Int64(StoreFile.size(path) ?? 0))
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        try store.close()
    }

    @Test func `a killed store has every commit`() throws {
        let directory = TestDirectory.make()
        let store = try SQLiteStore.open(path: directory + "/data.grove", options: .small)
        var model = StoreModel()
        var random = SeededRandom(seed: 8)
        for _ in 0..<25 {
            model.change(&random)
            try store.commit(model.takeWrites())
            // The disk's present content is what a kill would leave. Copied by another process:
            // closing a descriptor here would drop the store's locks.
            let copy = TestDirectory.make()
            try run("cp", "-r", directory + "/.", copy)
            let other = try SQLiteStore.open(path: copy + "/data.grove")
            #expect(try difference(other, model, isPurged: false, &random) == nil)
            try other.close()
        }
        try store.close()
    }
}
