import CSQLite
import Dispatch
import Foundation
import GroveEngine
import GroveTestSupport
import Synchronization
import Testing

@testable import GroveStorage

/// `LogMover`: the log is moved into the data file beside commits.
@Suite("Moving the log beside commits")
struct LogMoverTests {
    /// Keeps work until a test runs it.
    private final class LaterQueue: Sendable {
        private let waiting = Mutex<[@Sendable () -> Void]>([])

        var count: Int { waiting.withLock { $0.count } }

        func add(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

        /// Runs what waits.
        func run() {
            for work in waiting.withLock({ waiting in
                defer { waiting = [] }
                return waiting
            }) { work() }
        }
    }

    private let queue = LaterQueue()
    private let path = TestDirectory.make() + "/data.grove"

    private func open(
        _ options: SQLiteStoreOptions = .small, vfs: String? = nil
    ) throws -> SQLiteStore {
        var options = options
        let queue = queue
        options.logQueue = { queue.add($0) }
        options.vfs = vfs
        return try SQLiteStore.open(path: path, options: options)
    }

    /// Commits until the log is long enough to be moved, and begins a pass.
    private func fill(_ store: SQLiteStore, _ model: inout StoreModel) throws {
        while queue.count == 0 {
            try commit(store, &model)
            try store.checkpoint()
        }
    }

    private func commit(_ store: SQLiteStore, _ model: inout StoreModel, bytes: Int = 9) throws {
        let number = model.head
        model.create("c/\(number)", state: Array(repeating: UInt8(number & 0xFF), count: bytes))
        try store.commit(model.takeWrites())
    }

    /// Runs a pass, and `body` within it: when it first writes into the data file.
    private func runPass(_ files: FaultyFiles, _ body: @escaping () throws -> Void) throws {
        var result: Result<Void, any Error>?
        files.atWriteToDataFile = { result = Result { try body() } }
        queue.run()
        try #require(result).get()
    }

    private func expectSame(_ store: SQLiteStore, _ model: StoreModel) throws {
        var random = SeededRandom(seed: 5)
        #expect(try difference(store, model, isPurged: false, &random) == nil)
        #expect(try store.checkAll() == [])
    }

    @Test func `a pass moves what the log had, and the store moves the rest`() throws {
        let files = try #require(FaultyFiles())
        let store = try open(vfs: files.name)
        var model = StoreModel()
        try fill(store, &model)
        let before = store.connection.pagesInLog
        try runPass(files) { for _ in 0..<3 { try commit(store, &model) } }
        let after = store.connection.pagesInLog
        #expect(after > before, "the log wasn't restarted")
        try store.checkpoint()
        #expect(store.counters.checkpoints == 1 && store.passes == 1)
        #expect(store.connection.pagesInLog == 0)
        try commit(store, &model)
        #expect(store.connection.pagesInLog < before, "it is used from its start again")
        try expectSame(store, model)
        try store.close()
        let directory = (path as NSString).deletingLastPathComponent
        #expect(try TestDirectory.names(directory) == ["data.grove"])
        let again = try open()
        try expectSame(again, model)
        try again.close()
    }

    @Test func `a log that restarts before the store looks is known as moved`() throws {
        let store = try open()
        var model = StoreModel()
        try fill(store, &model)
        queue.run()
        // All was moved, so this commit restarts the log.
        try commit(store, &model)
        let pages = store.connection.pagesInLog
        #expect(pages < store.logPagesMax)
        try store.checkpoint()
        #expect(store.counters.checkpoints == 1)
        #expect(store.connection.pagesInLog == pages)
        try expectSame(store, model)
        store.shutDown()
        let again = try open()
        try expectSame(again, model)
        try again.close()
    }

    @Test func `much that is committed during a pass takes another pass, a few times`() throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        // So long that no commit waits for the pass, which would never end.
        options.logBytesMax = 300 * (SQLiteStoreOptions.pageBytes + 24)
        let store = try open(options, vfs: files.name)
        var model = StoreModel()
        try fill(store, &model)
        for pass in 1...StoreLimits.passesMax {
            #expect(store.passes == pass && store.counters.checkpoints == 0)
            try runPass(files) {
                let pages = store.connection.pagesInLog + StoreLimits.pagesMovedAtOnceMax
                while store.connection.pagesInLog <= pages {
                    try commit(store, &model, bytes: 100_000)
                }
            }
            try store.checkpoint()
        }
        #expect(store.counters.checkpoints == 1 && queue.count == 0)
        #expect(store.connection.pagesInLog == 0)
        try expectSame(store, model)
        try store.close()
    }

    @Test func `commits wait for a pass that is much slower than they are`() throws {
        let store = try open()
        var model = StoreModel()
        try fill(store, &model)
        let longest = StoreLimits.logsPerPassMax * store.logPagesMax
        var pages = 0
        while store.counters.checkpoints == 0 {
            try commit(store, &model)
            try store.checkpoint()
            pages = max(pages, store.connection.pagesInLog)
            #expect(pages < longest + 64)
            if pages >= longest + 64 { break }
        }
        #expect(pages > longest - 64)
        // The pass that never ran was called off.
        queue.run()
        try commit(store, &model)
        try store.checkpoint()
        #expect(store.counters.checkpoints == 1)
        try expectSame(store, model)
        try store.close()
    }

    @Test func `a failed sync in a pass ends the store`() throws {
        let files = try #require(FaultyFiles())
        let store = try open(vfs: files.name)
        var model = StoreModel()
        try fill(store, &model)
        files.fail(.sync, call: 1, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
        queue.run()
        #expect(files.fired == 1)
        // No commit is acknowledged after it.
        #expect(throws: StoreError.self) { try commit(store, &model) }
        #expect(store.failure != nil)
        #expect(throws: StoreError.self) { try store.checkpoint() }
        store.shutDown()
    }

    @Test func `a stop after a failed sync in a pass doesn't call the file moved`() throws {
        let files = try #require(FaultyFiles())
        let store = try open(vfs: files.name)
        var model = StoreModel()
        try fill(store, &model)
        files.fail(.sync, call: 1, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
        queue.run()
        #expect(throws: StoreError.self) { try store.close() }
        let again = try open()
        try expectSame(again, model)
        try again.close()
    }

    @Test func `a pass without room is repeated later, and nothing is lost`() throws {
        let files = try #require(FaultyFiles())
        let store = try open(vfs: files.name)
        var model = StoreModel()
        try fill(store, &model)
        files.fail(
            .writeToDataFile, call: 1,
            with: FaultyFiles.Fault(code: SQLITE_FULL, systemError: ENOSPC, isSticky: true))
        queue.run()
        try store.checkpoint()
        #expect(store.counters.fullDisk == 1 && store.counters.checkpoints == 0)
        #expect(store.checkpointPages > store.connection.pagesInLog)
        files.heal()
        while store.counters.checkpoints == 0 {
            try commit(store, &model)
            queue.run()
            try store.checkpoint()
        }
        try expectSame(store, model)
        try store.close()
    }

    @Test(arguments: 1...16)
    func `any mixture of passes, commits, crashes and stops loses nothing`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var store = try open()
        var model = StoreModel()
        for _ in 0..<400 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: queue.run()
            case 1, 2: try store.checkpoint()
            case 3 where Int.random(in: 0..<4, using: &random) == 0:
                if Bool.random(using: &random) { store.shutDown() } else { try store.close() }
                // A pass of the closed store does nothing any more.
                if Bool.random(using: &random) { queue.run() }
                store = try open()
            case 4: try store.probeDiskSpace()
            case 5: while try store.purge() {}
            case 6 where model.instances.count > 20:
                guard let name = model.instances.keys.sorted().first else { break }
                model.delete(name)
                try store.commit(model.takeWrites())
            default:
                try commit(store, &model, bytes: Int.random(in: 1...20_000, using: &random))
            }
        }
        try expectSame(store, model)
        try store.close()
        store = try open()
        try expectSame(store, model)
        try store.close()
    }

    @Test func `passes on another thread lose nothing`() throws {
        var options = SQLiteStoreOptions.small
        let thread = DispatchQueue(label: "grove.log")
        options.logQueue = { work in thread.async(execute: work) }
        let store = try SQLiteStore.open(path: path, options: options)
        var model = StoreModel()
        for round in 0..<3_000 {
            if round < 200 {
                model.create("c/\(round)", state: Array("\(round)".utf8))
            } else {
                model.step("c/\(round * 7 % 200)", state: Array("\(round)".utf8))
            }
            try store.commit(model.takeWrites())
            try store.checkpoint()
        }
        #expect(store.counters.checkpoints > 10)
        try expectSame(store, model)
        store.shutDown()
        let again = try SQLiteStore.open(path: path, options: options)
        try expectSame(again, model)
        try again.close()
    }
}
