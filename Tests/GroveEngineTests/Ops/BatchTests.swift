import GroveEngine
import GroveTestSupport
import Testing
import Transducers

@Suite("batch")
struct BatchTests {
    // MARK: One by one

    @Test func `items are answered in order, refused ones in their place`() throws {
        let harness = try EngineHarness()
        let reply = try harness.batch([
            harness.item("counter/a", #""increment""#),
            harness.item("turnstile/gate", #""PUSH""#),
            .refused(.badRequest(path: "$.items[2].to", message: "no name")),
            harness.item("counter/a", #"{"type":"add","amount":5}"#, reply: .state),
            harness.item("nothing/a", #""x""#),
        ])
        let parts = reply.split(separator: "; ").map(String.init)
        #expect(parts.count == 5)
        #expect(parts[0] == "v1 changed")
        #expect(parts[1].hasPrefix("eventRejected"))
        #expect(parts[2].hasPrefix("badRequest(path: \"$.items[2].to\""))
        #expect(parts[3] == #"v2 changed state={"count":6}"#)
        #expect(parts[4] == "noSuchMachine(\"nothing\")")
        #expect(try harness.get("turnstile/gate").hasPrefix("noSuchInstance"))
    }

    @Test(arguments: [false, true])
    func `all items are in one commit, with nothing between them`(isAtomic: Bool) throws {
        let harness = try EngineHarness()
        let items = try (1...5).map { _ in try harness.item("counter/a", #""increment""#) }
        try harness.receive(.batch(SendBatch(items: items, isAtomic: isAtomic)))
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        #expect(harness.store.head == 0, "nothing is written before the flush")
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(
            replies == ["v1 changed; v2 changed; v3 changed; v4 changed; v5 changed", "v6 changed"])
    }

    @Test(arguments: [false, true])
    func `a batch without items makes no commit`(isAtomic: Bool) throws {
        let harness = try EngineHarness()
        #expect(try harness.batch([], isAtomic: isAtomic).isEmpty)
        #expect(harness.store.head == 0)
    }

    @Test(arguments: [false, true])
    func `a key counts within a batch and after it`(isAtomic: Bool) throws {
        let harness = try EngineHarness()
        let items = try ["k", "l", "k"].map {
            try harness.item("counter/a", #""increment""#, dedup: $0)
        }
        let first = try harness.batch(items, isAtomic: isAtomic)
        #expect(first == "v1 changed; v2 changed; v1 changed dup")
        let again = try harness.batch(items, isAtomic: isAtomic)
        #expect(again == "v1 changed dup; v2 changed dup; v1 changed dup")
        let other = try harness.batch(
            [harness.item("counter/a", #""decrement""#, dedup: "l")], isAtomic: isAtomic)
        #expect(other.contains("dedupMismatch"))
        #expect(try harness.get("counter/a") == #"v2 {"count":2}"#)
    }

    @Test func `a full disk refuses the batch as a whole`() throws {
        let store = FullStore(MemoryStore())
        store.isFull = true
        var engine = try Engine(
            catalogue: Catalogue(testDefinitions), store: store, options: EngineOptions())
        let harness = try EngineHarness(testDefinitions)
        let items = try [#"{"type":"set","value":"x"}"#, #""crash""#].map {
            try harness.item("quiet/a", $0)
        }
        try engine.receive(
            Request(
                connection: EngineHarness.connection, token: 1,
                operation: .batch(SendBatch(items: items, isAtomic: false))),
            at: harness.now, store: store)
        let replies = try engine.flush(to: store, at: harness.now).replies
        #expect(replies.map(\.reply.summary) == ["storageFull"])
    }

    // MARK: Bounds

    @Test(arguments: [false, true])
    func `items after a mebibyte of answers are refused`(isAtomic: Bool) throws {
        let harness = try EngineHarness(testDefinitions)
        let grow = #"{"type":"grow","value":600000}"#
        let items = try (0..<4).map { try harness.item("quiet/\($0)", grow, reply: .state) }
        let reply = try harness.ask(.batch(SendBatch(items: items, isAtomic: isAtomic)))
        guard !isAtomic else {
            guard case .failure(.inBatch(index: 2, .limit)) = reply else {
                Issue.record("\(reply.summary.prefix(200))")
                return
            }
            #expect(harness.store.head == 0)
            return
        }
        guard case .batch(let results) = reply else { throw Problem("no batch") }
        let isApplied = results.map { if case .sent = $0 { true } else { false } }
        #expect(isApplied == [true, true, false, false])
        #expect(try harness.get("quiet/2").hasPrefix("noSuchInstance"))
    }

    @Test func `rejections that show a large state count as well`() throws {
        let harness = try EngineHarness(testDefinitions)
        for _ in 0..<20 { _ = try harness.send("chain/a", #"{"type":"chain","value":60}"#) }
        let items = try (0..<400).map { _ in try harness.item("chain/a", #""fail""#) }
        guard
            case .batch(let results) = try harness.ask(
                .batch(SendBatch(items: items, isAtomic: false)))
        else { throw Problem("no batch") }
        let limited = results.filter { if case .failure(.limit) = $0 { true } else { false } }
        #expect(!limited.isEmpty && limited.count < 400)
    }

    @Test func `a batch doesn't exceed the bound of a commit`() throws {
        let harness = try EngineHarness(testDefinitions)
        let grow = #"{"type":"grow","value":900000}"#
        let items = try (0..<30).map { try harness.item("quiet/\($0)", grow) }
        guard
            case .batch(let results) = try harness.ask(
                .batch(SendBatch(items: items, isAtomic: false)))
        else { throw Problem("no batch") }
        let applied = results.prefix { if case .sent = $0 { true } else { false } }.count
        #expect((2..<30).contains(applied))
        for result in results.dropFirst(applied) {
            guard case .failure(.limit) = result else {
                Issue.record("\(result)")
                return
            }
        }
    }

    @Test func `items that a large instance refuses are bounded in a batch`() throws {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.send("quiet/large", #"{"type":"grow","value":900000}"#)
        let items = try (0..<30).map { _ in
            try harness.item("quiet/large", #"{"type":"grow","value":-1}"#, expect: .absent)
        }
        guard
            case .batch(let results) = try harness.ask(
                .batch(SendBatch(items: items, isAtomic: false)))
        else { throw Problem("no batch") }
        let refused = results.filter {
            if case .failure(.limit) = $0 { true } else { false }
        }
        #expect(refused.count == 30 - 19)
    }

    // MARK: All or none

    @Test func `an atomic batch fails as its first bad item does, and leaves nothing`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#)
        let reply = try harness.ask(
            .batch(
                SendBatch(
                    items: [
                        harness.item("counter/a", #""increment""#, dedup: "k"),
                        harness.item("counter/new", #""increment""#),
                        harness.item("turnstile/gate", #""PUSH""#),
                        harness.item("nothing/a", #""x""#),
                    ], isAtomic: true)))
        guard case .failure(.inBatch(index: 2, .eventRejected)) = reply else {
            Issue.record("\(reply.summary)")
            return
        }
        #expect(try harness.get("counter/a") == #"v1 {"count":1}"#)
        #expect(try harness.get("counter/new").hasPrefix("noSuchInstance"))
        let head = harness.store.head
        #expect(try harness.send("counter/a", #""decrement""#, dedup: "k") == "v2 changed")
        #expect(harness.store.head == head + 1, "no number of the journal was used")
    }

    @Test func `earlier writes are flushed before an atomic batch, reads aren't`() throws {
        let harness = try EngineHarness()
        let atomic = try Request(
            connection: EngineHarness.connection, token: 99,
            operation: .batch(
                SendBatch(items: [harness.item("counter/a", #""increment""#)], isAtomic: true)))
        try harness.receive(.get(Get(to: harness.instance("counter/a"), at: nil)))
        let mustFlushAfterRead = harness.engine.mustFlush(before: atomic)
        #expect(!mustFlushAfterRead)
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        let mustFlushAfterWrite = harness.engine.mustFlush(before: atomic)
        #expect(mustFlushAfterWrite)
        var burst = [atomic]
        var place = 0
        try harness.engine.receive(burst[...], from: &place, at: harness.now, store: harness.store)
        #expect(place == 0, "it waits for the flush")
        _ = try harness.flush()
        burst.append(Request(connection: EngineHarness.connection, token: 100, operation: .stats))
        try harness.engine.receive(burst[...], from: &place, at: harness.now, store: harness.store)
        #expect(place == 2, "what follows joins its commit")
        #expect(try harness.flush().replies.count == 2)
    }

    @Test func `replies held before a failed batch are still sent`() throws {
        let harness = try EngineHarness()
        try harness.receive(.get(Get(to: harness.instance("counter/a"), at: nil)))
        try harness.receive(
            .batch(
                SendBatch(
                    items: [
                        harness.item("counter/a", #""increment""#),
                        harness.item("counter/a", #""nonsense""#),
                    ], isAtomic: true)))
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies.count == 2)
        #expect(replies[0].hasPrefix("noSuchInstance"))
        #expect(replies[1].hasPrefix("inBatch(index: 1"))
    }

    // MARK: A model

    /// Counters and their keys, as a simple model.
    private struct Model: Equatable {
        struct Counter: Equatable {
            var version = 0
            var count = 0
            var keys: [String: (Int, Int)] = [:]

            static func == (left: Counter, right: Counter) -> Bool {
                left.version == right.version && left.count == right.count
                    && left.keys.mapValues { "\($0)" } == right.keys.mapValues { "\($0)" }
            }
        }
        var counters: [String: Counter] = [:]

        /// The outcome of an item.
        mutating func apply(
            _ to: String, _ amount: Int, _ key: String?, _ expect: Int64?
        ) -> String {
            var counter = counters[to] ?? Counter()
            if let key, let (version, known) = counter.keys[key] {
                return known == amount ? "v\(version) changed dup" : "dedupMismatch"
            }
            if let expect, counters[to].map({ Int64($0.version) }) != expect {
                return "versionConflict"
            }
            counter.version += 1
            counter.count += amount
            if let key { counter.keys[key] = (counter.version, amount) }
            counters[to] = counter
            return "v\(counter.version) changed"
        }
    }

    @Test(arguments: UInt64(1)...40)
    func `batches agree with a simple model`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let harness = try EngineHarness()
        var model = Model()
        var failures = 0
        for _ in 0..<40 {
            let isAtomic = Bool.random(using: &random)
            var trial = model
            var items: [SendBatch.Item] = []
            var expected: [String] = []
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let to = "counter/\(Int.random(in: 0...2, using: &random))"
                let amount = Int.random(in: 1...3, using: &random)
                let key =
                    Bool.random(using: &random) ? "\(Int.random(in: 0...9, using: &random))" : nil
                let version = trial.counters[to].map { Int64($0.version) }
                let expect = Int.random(in: 0...9, using: &random) == 0 ? (version ?? 0) : nil
                items.append(
                    try harness.item(
                        to, #"{"type":"add","amount":\#(amount)}"#, dedup: key,
                        expect: expect.map { .version($0) }))
                expected.append(trial.apply(to, amount, key, expect))
            }
            let bad = expected.firstIndex { !$0.hasPrefix("v") || $0.hasPrefix("version") }
            let actual = try harness.batch(items, isAtomic: isAtomic)
            if isAtomic, let bad {
                failures += 1
                #expect(actual.hasPrefix("inBatch(index: \(bad), "), "seed \(seed)")
                #expect(actual.contains(expected[bad]), "seed \(seed)")
            } else {
                model = trial
                let parts = actual.split(separator: "; ")
                for (part, wanted) in zip(parts, expected) {
                    #expect(part.hasPrefix(wanted), "seed \(seed)")
                }
                #expect(parts.count == expected.count, "seed \(seed)")
            }
            for (name, counter) in model.counters {
                let wanted = #"v\#(counter.version) {"count":\#(counter.count)}"#
                #expect(try harness.get(name) == wanted, "seed \(seed)")
            }
        }
        #expect(failures > 0, "seed \(seed): no atomic batch has failed")
    }
}

extension EngineHarness {
    /// An item of a batch.
    func item(
        _ to: String, _ event: String, dedup: String? = nil, expect: Send.Expectation? = nil,
        reply: Send.ReplyDetail = .minimal
    ) throws -> SendBatch.Item {
        let operation = try makeSend(to, event, dedup: dedup, expect: expect, reply: reply)
        guard case .send(let send) = operation else { throw Problem("no send") }
        return .send(send)
    }

    /// Sends a batch, commits, and returns the reply as a line for comparing.
    func batch(_ items: [SendBatch.Item], isAtomic: Bool = false) throws -> String {
        try ask(.batch(SendBatch(items: items, isAtomic: isAtomic))).summary
    }
}
