import CSQLite
import GroveTestSupport
import Testing

@testable import GroveEngine
@testable import GroveStorage

/// `PendingRows` and `JournalRedo` while a server that was killed works again: rows that the file
/// has count for nothing, and commits write back as much as before.
@Suite("Rows after a crash")
struct RowsAfterCrashTests {
    private static let instances = 6_400
    private static let stepsPerCommit = 40

    /// A store under load, with its model.
    private struct Loaded {
        var store: SQLiteStore
        var model = StoreModel()
        var random: SeededRandom
        var options = SQLiteStoreOptions()

        init(seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            options.redoBounds = RedoBounds(steps: 24_000, bytes: 8 << 20)
            store = try SQLiteStore.open(
                path: TestDirectory.make() + "/data.grove", options: options)
            for number in 0..<RowsAfterCrashTests.instances {
                model.create("m/\(number)")
                if number % 400 == 399 { try store.commit(model.takeWrites()) }
            }
            try load(commits: 1_000)
        }

        /// Commits steps of random instances, of the first ones. Returns the rows that each commit
        /// wrote.
        @discardableResult
        mutating func load(
            commits: Int, among instances: Int = RowsAfterCrashTests.instances,
            check: (SQLiteStore) -> Void = { _ in }
        ) throws -> [Int64] {
            var written: [Int64] = []
            for _ in 0..<commits {
                for _ in 0..<RowsAfterCrashTests.stepsPerCommit {
                    let number = Int.random(in: 0..<instances, using: &random)
                    let key = number % 4 == 0 ? Array("\(model.head)".utf8) : nil
                    model.step("m/\(number)", state: Array("\(model.head)".utf8), key: key)
                }
                let before = sqlite3_total_changes64(store.connection.handle)
                try store.commit(model.takeWrites())
                written.append(sqlite3_total_changes64(store.connection.handle) - before)
                check(store)
            }
            return written
        }

        mutating func crash() throws {
            store.shutDown()
            store = try SQLiteStore.open(path: store.path, options: options)
        }

        func expectSame() throws {
            var random = SeededRandom(seed: 5)
            #expect(try difference(store, model, isPurged: false, &random) == nil)
            #expect(try store.checkAll() == [])
        }
    }

    @Test(arguments: 1...2)
    func `rows that are made are as many and as old as before`(seed: UInt64) throws {
        var loaded = try Loaded(seed: seed)
        for _ in 0..<2 {
            let behind = loaded.store.pending.count
            let oldest = try #require(loaded.store.pending.redoPoint())
            try loaded.crash()
            #expect(loaded.store.pending.count > 2 * behind, "steps, of which rows have many")
            while try loaded.store.makeRows() {}
            #expect(loaded.store.pending.count == behind)
            let made = try #require(loaded.store.pending.redoPoint())
            #expect(made.step >= oldest.step)
            #expect(made.step < oldest.step + Int64(Self.stepsPerCommit))
            try loaded.load(commits: 20)
        }
        try loaded.expectSame()
        try loaded.store.close()
    }

    @Test(arguments: 1...2)
    func `commits write back as much as before`(seed: UInt64) throws {
        var loaded = try Loaded(seed: seed)
        let before = try loaded.load(commits: 200)
        let average = Double(before.reduce(0, +)) / Double(before.count)
        let largestBefore = try #require(before.max())
        try loaded.crash()
        let bounds = loaded.options.redoBounds
        var unmade = loaded.store.pending.unmadeSteps
        #expect(unmade > 10_000)
        let atOpening = loaded.store.head
        var allMadeAt: Int64?
        // Of a few, which need none of the other rows.
        let after = try loaded.load(commits: 300, among: 100) { store in
            let oldest = store.pending.redoPoint() ?? RedoPoint(step: store.head)
            // The redo point in the file lags.
            #expect(store.head - oldest.step <= bounds.steps + StoreLimits.redoPointSteps)
            // And those that it changes itself.
            #expect(unmade - store.pending.unmadeSteps < 2 * StoreLimits.redoneStepsPerCommit)
            unmade = store.pending.unmadeSteps
            if unmade == 0, allMadeAt == nil { allMadeAt = store.head }
        }
        let largest = try #require(after.max())
        // One group of buckets, which has waited a little longer.
        #expect(largest <= largestBefore * 3 / 2, "\(largest) rows beside \(largestBefore)")
        let total = Double(after.reduce(0, +))
        #expect(total < 1.5 * average * 300, "\(total) rows beside \(average) per commit")
        let end = try #require(allMadeAt, "all rows are made")
        #expect(end - atOpening < bounds.steps / 4, "long before the bounds are reached")
        try loaded.expectSame()
        try loaded.store.close()
    }

    @Test func `a commit without steps makes no rows, also with full bounds`() throws {
        var loaded = try Loaded(seed: 4)
        loaded.options.redoBounds = RedoBounds(steps: 1_000, bytes: 1 << 20)
        try loaded.crash()
        let unmade = loaded.store.pending.unmadeSteps
        #expect(unmade > 1_000)
        var writes = WriteSet(firstSequence: loaded.store.head + 1)
        let hold = Hold(kind: .setAside, since: Timestamp(milliseconds: 7), reason: "a trap")
        writes.holds[try #require(HoldSubject(text: "m/1"))] = .some(hold)
        try loaded.store.commit(writes)
        #expect(loaded.store.pending.unmadeSteps == unmade)
        try loaded.load(commits: 1, among: 1)
        let made = unmade - loaded.store.pending.unmadeSteps
        // As much as a commit may, but for the bucket in which that ends: it isn't counted yet.
        #expect(made > StoreLimits.redoneStepsPerCommit * 3 / 4)
        try loaded.load(commits: 20)
        try loaded.expectSame()
        try loaded.store.close()
    }

    @Test func `crashes one after the other lose nothing and pass no bound`() throws {
        var loaded = try Loaded(seed: 9)
        let bounds = loaded.options.redoBounds
        for round in 0..<6 {
            try loaded.crash()
            #expect(loaded.store.redoneSteps <= bounds.steps + StoreLimits.redoPointSteps)
            // Some rows are made by turns, some by commits, and some not before the next crash.
            if round % 2 == 0 { _ = try loaded.store.makeRows() }
            try loaded.load(commits: 1 + 5 * round)
        }
        try loaded.expectSame()
        try loaded.store.close()
        loaded.store = try SQLiteStore.open(path: loaded.store.path)
        #expect(loaded.store.redoneSteps == 0)
        try loaded.expectSame()
        try loaded.store.close()
    }
}
