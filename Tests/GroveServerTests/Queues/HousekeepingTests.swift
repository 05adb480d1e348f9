import BuiltInMachines
import GroveAccess
import GroveEngine
import GroveStorage
import GroveTestSupport
import Logging
import Synchronization
import Testing
import Transducers

@testable import GroveServer

/// The jobs that run in turns beside requests, one call at a time.
@Suite("Housekeeping")
struct HousekeepingTests {
    private static func options(
        steps: Int64? = nil, doneSeconds: Int64? = nil
    ) -> RetentionOptions {
        var options = RetentionOptions()
        options.journal = JournalBounds(stepsMax: steps)
        options.doneMillisecondsMax = doneSeconds.map { $0 * 1_000 }
        return options
    }

    /// Creates instances and, if asked to, stops them. The time is the request's number.
    private func fill(
        _ engine: inout Engine, _ store: any Store, _ count: Int, isStopped: Bool = false
    ) throws {
        for number in 0..<count {
            let name = try #require(InstanceName("counter/c\(number)"))
            let operations: [GroveEngine.Operation] =
                [.create(Create(to: name, input: nil, dedup: nil))]
                + (isStopped ? [.stop(name, reason: nil)] : [])
            for operation in operations {
                try engine.receive(
                    Request(connection: ConnectionID(1), token: 1, operation: operation),
                    at: Timestamp(milliseconds: 1_000), store: store)
            }
        }
        _ = try engine.flush(to: store, at: Timestamp(milliseconds: 1_000))
    }

    private func makeEngine(_ store: any Store) throws -> Engine {
        Engine(catalogue: try Catalogue(BuiltInMachines.definitions), store: store)
    }

    @Test func `housekeeping has little to do without a configuration`()
        throws
    {
        let store = MemoryStore()
        var engine = try makeEngine(store)
        try fill(&engine, store, 100)
        var keeping = Housekeeping(RetentionOptions(), log: Log.silent)
        let now = Timestamp(milliseconds: 9_000_000)
        #expect(try keeping.turn(&engine, store, at: now) == Housekeeping.Outcome())
        keeping.wake(at: now)
        let sweep = try keeping.turn(&engine, store, at: now)
        #expect(sweep == Housekeeping.Outcome(hasMore: true), "and a look at machines and audit")
        let machines = try keeping.turn(&engine, store, at: now)
        #expect(machines == Housekeeping.Outcome(hasMore: true))
        #expect(try keeping.turn(&engine, store, at: now) == Housekeeping.Outcome())
        #expect(store.first == 1)
    }

    /// A counter with a renamed state member.
    private enum Renamed: Transducer, InitialState {
        struct State: NonTerminal, Codable, Sendable { var sum = 0 }
        enum Event: Codable, Sendable { case increment }
        static var initialState: State { State() }
        static func update(_ state: inout State, event: Event) -> Int { 0 }
    }

    @Test func `unreadable states are reported once, with an example`() throws {
        let store = MemoryStore()
        var engine = try makeEngine(store)
        try fill(&engine, store, 3)
        let log = KeptLog()
        var keeping = Housekeeping(RetentionOptions(), log: log.logger())
        let now = Timestamp(milliseconds: 9_000)
        func work(_ engine: inout Engine) throws {
            keeping.inspect(engine.inspection())
            for _ in 0..<3 {
                keeping.wake(at: now)
                while try keeping.turn(&engine, store, at: now).hasMore {}
            }
        }
        try work(&engine)
        #expect(log.lines(with: "can't read").isEmpty)
        var changed = Engine(
            catalogue: try Catalogue([
                Definition(Renamed.self, named: "counter", version: "2.0.0")
            ]), store: store)
        try work(&changed)
        let lines = log.lines(with: "can't read")
        #expect(lines.count == 1)
        for part in ["counter/c0", "1.0.0", "migrate(state:from:)", "unreadable=3"] {
            #expect(lines.first?.contains(part) == true, "\(part) in \(lines)")
        }
    }

    @Test func `states are inspected once opening has left no rows`() throws {
        /// Has rows to make in three turns.
        final class Opened: ForwardingStore {
            var turns = 3
            override func purge() throws(StoreError) -> Bool {
                turns -= 1
                return turns > 0
            }
            override func instances(
                prefix: String, after: String?, limit: Int, bytes: Int
            ) throws(StoreError) -> [StoredInstance] {
                #expect(turns <= 0, "each page would make the rows of its instances")
                return try super.instances(
                    prefix: prefix, after: after, limit: limit, bytes: bytes)
            }
        }
        let store = Opened(MemoryStore())
        var engine = try makeEngine(store)
        try fill(&engine, store, 3)
        let log = KeptLog()
        var keeping = Housekeeping(RetentionOptions(), log: log.logger())
        let now = Timestamp(milliseconds: 9_000)
        var changed = Engine(
            catalogue: try Catalogue([
                Definition(Renamed.self, named: "counter", version: "2.0.0")
            ]), store: store)
        keeping.inspect(changed.inspection())
        #expect(log.lines(with: "can't read").isEmpty)
        while try keeping.turn(&changed, store, at: now).hasMore {}
        #expect(store.turns == 0)
        #expect(log.lines(with: "can't read").count == 1)
    }

    @Test func `entries of the audit are kept for 400 days, and searched once a day`() throws {
        let store = MemoryStore()
        var engine = try makeEngine(store)
        var writes = WriteSet(firstSequence: store.head + 1)
        var hash = AuditEntry.noHash
        let day: Int64 = 86_400_000
        for number in 1...3 as ClosedRange<Int64> {
            let entry = AuditEntry(
                number: number, after: hash, time: number * day, by: "owner", from: "unix",
                changes: [])
            hash = entry.hash
            writes.accounts.append(.audit(entry))
        }
        try store.commit(writes)
        var keeping = Housekeeping(RetentionOptions(), log: Log.silent)
        func kept(at time: Int64) throws -> [Int64] {
            let now = Timestamp(milliseconds: time)
            keeping.wake(at: now)
            while try keeping.turn(&engine, store, at: now).hasMore {}
            return try store.audit(after: 0, limit: 9).entries.map(\.number)
        }
        #expect(try kept(at: 401 * day) == [1, 2, 3])
        #expect(try kept(at: 402 * day - 1) == [1, 2, 3], "not searched again yet")
        #expect(try kept(at: 402 * day) == [2, 3])
        #expect(try kept(at: 999 * day) == [3], "the last one stays")
    }

    @Test func `jobs take turns until each has nothing left`() throws {
        let store = MemoryStore()
        var engine = try makeEngine(store)
        try fill(&engine, store, 200, isStopped: true)
        var keeping = Housekeeping(Self.options(steps: 50, doneSeconds: 5), log: Log.silent)
        let now = Timestamp(milliseconds: 9_000)
        keeping.wake(at: now)
        var turns = 0
        var flushes = 0
        var outcome = Housekeeping.Outcome(hasMore: true)
        while outcome.hasMore {
            outcome = try keeping.turn(&engine, store, at: now)
            if outcome.needsFlush {
                flushes += 1
                _ = try engine.flush(to: store, at: now)
            }
            turns += 1
            try #require(turns < 1_000, "it never comes to rest")
        }
        #expect(flushes >= 7 && turns > 10)
        let names = try store.instances(prefix: "", after: nil, limit: 10)
        #expect(names.isEmpty, "all were done for eight seconds")
        // From the next second on, the steps left by the deletions are truncated and purged.
        keeping.wake(at: now)
        while try keeping.turn(&engine, store, at: now).hasMore {}
        #expect(store.head - store.first + 1 == 50)
    }

    @Test func `done instances are searched as often as useful`() throws {
        let store = SearchCountingStore()
        var engine = try makeEngine(store)
        try fill(&engine, store, 10)
        var keeping = Housekeeping(Self.options(doneSeconds: 100), log: Log.silent)
        for second in 0..<100 {
            let now = Timestamp(milliseconds: Int64(second) * 1_000)
            keeping.wake(at: now)
            while try keeping.turn(&engine, store, at: now).hasMore {}
        }
        #expect(store.searches == 10, "each tenth of the time")
    }

    @Test func `a full disk stops a job until the next second`() throws {
        let store = FailingHouseStore()
        var engine = try makeEngine(store)
        try fill(&engine, store, 200)
        var keeping = Housekeeping(Self.options(steps: 50), log: Log.silent)
        let now = Timestamp(milliseconds: 0)
        store.error = .full
        keeping.wake(at: now)
        while try keeping.turn(&engine, store, at: now).hasMore {}
        #expect(store.first == 1)
        store.error = nil
        keeping.wake(at: now)
        while try keeping.turn(&engine, store, at: now).hasMore {}
        #expect(store.first == 151)
    }

    @Test func `damage stops a job for good, and the others continue`() throws {
        let store = FailingHouseStore()
        var engine = try makeEngine(store)
        try fill(&engine, store, 200)
        var keeping = Housekeeping(Self.options(steps: 50), log: Log.silent)
        let now = Timestamp(milliseconds: 0)
        store.error = .corrupt("simulated")
        keeping.wake(at: now)
        while try keeping.turn(&engine, store, at: now).hasMore {}
        store.error = nil
        for _ in 0..<3 {
            keeping.wake(at: now)
            while try keeping.turn(&engine, store, at: now).hasMore {}
        }
        #expect(store.first == 1 && store.sweeps >= 3)
    }

    @Test func `an error of the disk is thrown`() throws {
        let store = FailingHouseStore()
        var engine = try makeEngine(store)
        var keeping = Housekeeping(Self.options(steps: 50), log: Log.silent)
        let now = Timestamp(milliseconds: 0)
        store.error = .inputOutput("simulated")
        keeping.wake(at: now)
        #expect(throws: StoreError.self) {
            while try keeping.turn(&engine, store, at: now).hasMore {}
        }
    }

    @Test func `machines with bounds are truncated, and changed bounds apply`()
        throws
    {
        let store = MemoryStore()
        var engine = try makeEngine(store)
        try fill(&engine, store, 200)
        var options = Self.options()
        options.machines = ["counter": JournalBounds(stepsMax: 50)]
        var keeping = Housekeeping(options, log: Log.silent)
        let now = Timestamp(milliseconds: 9_000)
        keeping.wake(at: now)
        while try keeping.turn(&engine, store, at: now).hasMore {}
        #expect(store.floors.first(of: "counter") == 151 && store.floors.journal == 1)
        options.machines = ["counter": JournalBounds(ageMillisecondsMax: 1_000)]
        keeping.change(options, logLevel: .info)
        keeping.wake(at: now)
        while try keeping.turn(&engine, store, at: now).hasMore {}
        #expect(store.floors.first(of: "counter") == 201)
    }

    @Test func `housekeeping logs at the present level`() throws {
        let lines = Mutex<[String]>([])
        let log = Logger(label: "test") { _ in
            LineLogHandler(level: .info, format: .text) { line in
                lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
        for (level, count) in [(Logger.Level.critical, 0), (.error, 1)] {
            let store = FailingHouseStore()
            var engine = try makeEngine(store)
            var keeping = Housekeeping(Self.options(steps: 50), log: log)
            // The same bounds: only the log level changes.
            keeping.change(Self.options(steps: 50), logLevel: level)
            #expect(keeping.log.logLevel == level)
            store.error = .corrupt("simulated")
            keeping.wake(at: Timestamp(milliseconds: 0))
            while try keeping.turn(&engine, store, at: Timestamp(milliseconds: 0)).hasMore {}
            #expect(lines.withLock(\.count) == count)
        }
        #expect(lines.withLock { $0[0].contains("truncate stopped") })
    }
}

/// Counts how often done instances are searched for.
private final class SearchCountingStore: ForwardingStore {
    var searches = 0

    init() { super.init(MemoryStore()) }

    override func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        searches += 1
        return try super.finished(after: number, before: time, limit: limit)
    }
}

/// Fails to truncate on demand, and counts purges.
private final class FailingHouseStore: ForwardingStore {
    var error: StoreError?
    var sweeps = 0

    init() { super.init(MemoryStore()) }

    override func purge() throws(StoreError) -> Bool {
        sweeps += 1
        return try super.purge()
    }

    override func truncate(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool {
        if let error { throw error }
        return try super.truncate(to: bounds, at: now)
    }
}
