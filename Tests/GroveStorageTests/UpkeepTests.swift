import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// A store's work besides commits and reads.
@Suite("SQLiteStore's upkeep")
struct UpkeepTests {
    private func openPostponing(_ vfs: String? = nil) throws -> SQLiteStore {
        var options = SQLiteStoreOptions.small
        options.logQueue = { work in work() }
        options.vfs = vfs
        return try SQLiteStore.open(path: TestDirectory.make() + "/data.grove", options: options)
    }

    @Test func `a commit doesn't move the log before the answers`() throws {
        let store = try openPostponing()
        var model = StoreModel()
        var round = 0
        func commit() throws {
            round += 1
            model.create("c/\(round)", state: Array("\(round)".utf8))
            try store.commit(model.takeWrites())
        }
        while store.connection.pagesInLog < store.checkpointPages { try commit() }
        try commit()
        #expect(store.counters.checkpoints == 0)
        // One call begins a pass, the next one sees its end.
        try store.checkpoint()
        try store.checkpoint()
        #expect(store.counters.checkpoints == 1)
        try store.checkpoint()
        #expect(store.counters.checkpoints == 1, "it isn't due")
        // Where nobody calls it, the log is moved at twice its size.
        for _ in 0..<200 { try commit() }
        #expect(store.counters.checkpoints > 1)
        #expect(store.connection.pagesInLog < 3 * store.checkpointPages)
        try store.close()
        let again = try SQLiteStore.open(path: store.path)
        #expect(try again.instances(prefix: "c/", after: nil, limit: 1_000).count == round)
        try again.close()
    }

    @Test func `moving the log is one commit and not two`() throws {
        let files = try #require(FaultyFiles())
        let store = try openPostponing(files.name)
        var model = StoreModel()
        model.create("a/a")
        try store.commit(model.takeWrites())
        store.checkpointPages = 1
        let before = files.calls[.sync] ?? 0
        try store.checkpoint()
        try store.checkpoint()
        #expect(store.counters.checkpoints == 1)
        // That commit's, that of the log, and two of the data file: SQLite's and the pass's.
        #expect((files.calls[.sync] ?? 0) - before <= 4)
        try store.close()
    }

    @Test func `a log that a large commit made long is shortened`() throws {
        let store = try openPostponing()
        #expect(try store.connection.integer("PRAGMA journal_size_limit") == 64 << 20)
        try store.close()
    }

    @Test func `a stop without room is a clean one, and the next start moves the log`() throws {
        let files = try #require(FaultyFiles())
        let store = try openPostponing(files.name)
        var model = StoreModel()
        model.create("a/a")
        try store.commit(model.takeWrites())
        files.fail(
            .writeToDataFile, call: 1,
            with: FaultyFiles.Fault(code: 13, systemError: ENOSPC, isSticky: true))
        try store.close()
        #expect(files.fired > 0)
        let again = try SQLiteStore.open(path: store.path)
        #expect(again.head == 1)
        try again.close()
    }

    @Test func `a crash between the file's two names leaves one of them`() throws {
        let directory = TestDirectory.make()
        let path = directory + "/data.grove"
        try SQLiteStore.open(path: path).close()
        try FileManager.default.linkItem(atPath: path, toPath: path + ".new")
        try SQLiteStore.open(path: path).close()
        #expect(try TestDirectory.names(directory) == ["data.grove"])
        // Another file is somebody's.
        try Data("x".utf8).write(to: URL(fileURLWithPath: path + ".new"))
        try SQLiteStore.open(path: path).close()
        #expect(try TestDirectory.names(directory) == ["data.grove", "data.grove.new"])
    }

    @Test func `a search for done instances continues after damaged ones`() throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        for name in ["a/1", "a/2", "a/3", "a/4"] {
            model.create(name)
            model.finish(name)
        }
        try store.commit(model.takeWrites())
        try store.close()
        try sqlite(path, "UPDATE instances SET crc = crc + 1 WHERE number IN (2, 4)")
        let damaged = try SQLiteStore.open(path: path)
        let time = Timestamp(milliseconds: 1_000_000)
        let page = try damaged.finished(after: InstanceNumber(0), before: time, limit: 2)
        #expect(page.names.map(\.text) == ["a/1"] && page.next == InstanceNumber(2))
        #expect(page.damaged.count == 1)
        let rest = try damaged.finished(after: InstanceNumber(2), before: time, limit: 10)
        #expect(rest.names.map(\.text) == ["a/3"] && rest.next == nil)
        #expect(rest.damaged.count == 1)
        damaged.shutDown()
    }

    @Test func `reading the journal needs no read of instances`() throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("a/1")
        model.create("a/2")
        try store.commit(model.takeWrites())
        model.delete("a/2")
        try store.commit(model.takeWrites())
        try store.close()
        try sqlite(path, "UPDATE instances SET crc = crc + 1")
        let damaged = try SQLiteStore.open(path: path)
        #expect(try !damaged.isDeleted(InstanceNumber(1)))
        #expect(try damaged.isDeleted(InstanceNumber(2)))
        damaged.shutDown()
    }

    /// An instance with a number of effects, all for one handler.
    private func effects(_ count: Int) throws -> SQLiteStore {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        model.create("a/a")
        for _ in 0..<count { model.begin("a/a", lane: "work") }
        try store.commit(model.takeWrites())
        return store
    }

    @Test func `pages of one instance's effects begin at their place`() throws {
        let growth = try ProcessorTime.growth(from: 150) { count in
            let store = try effects(count)
            var (rows, refs): ([StoredEffect], [EffectRef]) = ([], [])
            let time = try ProcessorTime.of {
                while rows.count < count {
                    rows += try store.effects(after: rows.last?.ref, limit: 5)
                    refs += try store.effects(inHandlerQueue: "work", after: refs.last, limit: 5)
                }
            }
            #expect(rows.map(\.ref) == refs)
            try store.close()
            return time
        }
        #expect(growth < 28)
    }
}
