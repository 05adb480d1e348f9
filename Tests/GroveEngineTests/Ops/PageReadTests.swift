import GroveEngine
import GroveTestSupport
import Testing
import Transducers

/// Pages that are read in turns, with commits in between.
@Suite("pages in turns")
struct PageReadTests {
    /// A harness with a number of counters.
    private func prepared(
        _ count: Int, options: EngineOptions = EngineOptions()
    ) throws -> EngineHarness {
        let harness = try EngineHarness(testDefinitions, options: options)
        for number in 0..<count {
            try harness.receive(harness.makeSend("counter/c\(1_000 + number)", #""increment""#))
        }
        _ = try harness.flush()
        return harness
    }

    /// One turn of work; returns its replies.
    private func work(_ harness: EngineHarness) throws -> [String] {
        try harness.engine.work(at: harness.now, store: harness.store).replies.map(
            \.reply.summary)
    }

    private func list(limit: Int, isDone: Bool? = nil) -> Operation {
        var list = List()
        list.machine = "counter"
        list.limit = limit
        list.isDone = isDone
        return .list(list)
    }

    @Test func `a short page is answered with the request`() throws {
        let harness = try prepared(500)
        try harness.receive(list(limit: 100))
        let replies = try harness.flush().replies
        let hasMore = harness.engine.hasBackgroundWork
        #expect(replies.count == 1 && !hasMore)
    }

    @Test func `commits run between the turns of a long page`() throws {
        let harness = try prepared(900)
        try harness.receive(list(limit: 1_000))
        #expect(try harness.flush().replies.isEmpty)
        var turns = 0
        var page: [String] = []
        while page.isEmpty {
            #expect(try harness.send("quiet/q", #""nothing""#) == "v\(turns + 1)")
            page = try work(harness)
            turns += 1
        }
        #expect(turns >= 3 && turns < 10)
        let names = page[0].split(separator: " ")
        #expect(names.count == 900 && Set(names).count == 900)
    }

    @Test func `a search without matches is bounded and gives its position`() throws {
        let harness = try prepared(2_500)
        let reply = try harness.ask(list(limit: 10, isDone: true))
        guard case .listed(let items, let next) = reply else { throw Problem("\(reply)") }
        #expect(items.isEmpty)
        let place = try #require(next.flatMap { Int($0.dropFirst("counter/c".count)) })
        #expect((2_999...3_200).contains(place))
    }

    @Test func `pages are answered in the order of their requests`() throws {
        let harness = try prepared(700)
        try harness.receive(list(limit: 600))
        try harness.receive(list(limit: 700))
        try harness.receive(list(limit: 5))
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies.count == 1, "the short one waits for nobody")
        var rest: [Int] = []
        while harness.engine.hasBackgroundWork {
            rest += try work(harness).map { $0.split(separator: "@").count - 1 }
        }
        #expect(rest == [600, 700])
    }

    @Test func `a page answered with the batch shows its changes`() throws {
        let harness = try prepared(300)
        try harness.receive(harness.makeSend("counter/c1000", #""increment""#))
        try harness.receive(list(limit: 300))
        #expect(try harness.flush().replies.count == 1)
        var page: [String] = []
        while page.isEmpty { page = try work(harness) }
        #expect(page[0].hasPrefix("counter/c1000@2 counter/c1001@1"))
    }

    @Test func `a page never shows the changes of a lost batch`() throws {
        let store = FullStore(MemoryStore())
        let catalogue = try Catalogue(testDefinitions)
        var engine = Engine(catalogue: catalogue, store: store)
        let now = Timestamp(milliseconds: 1)
        var token: UInt32 = 0
        func request(_ operation: Operation) -> Request {
            token += 1
            return Request(
                connection: EngineHarness.connection, token: token, operation: operation)
        }
        func make(_ name: String) throws -> Operation {
            .create(
                Create(to: try #require(InstanceName(name)), input: nil, dedup: nil))
        }
        for number in 0..<400 {
            try engine.receive(request(make("quiet/q\(1_000 + number)")), at: now, store: store)
        }
        _ = try engine.flush(to: store, at: now)
        store.isFull = true
        try engine.receive(
            request(.delete(try #require(InstanceName("quiet/q1000")))), at: now, store: store)
        var all = List()
        all.machine = "quiet"
        all.limit = 1_000
        try engine.receive(request(.list(all)), at: now, store: store)
        let refused = try engine.flush(to: store, at: now).replies.map(\.reply.summary)
        #expect(refused == ["storageFull"])
        var page: [Reply] = []
        while page.isEmpty { page = try engine.work(at: now, store: store).replies.map(\.reply) }
        #expect(page[0].summary.split(separator: " ").count == 400, "it is there again")
        // A page that the batch's changes filled takes more turns without them.
        try engine.receive(
            request(.stop(try #require(InstanceName("quiet/q1000")), reason: nil)), at: now,
            store: store)
        all.isDone = true
        all.limit = 1
        try engine.receive(request(.list(all)), at: now, store: store)
        let first = try engine.flush(to: store, at: now).replies.map(\.reply.summary)
        var second: [String] = []
        while second.isEmpty {
            second = try engine.work(at: now, store: store).replies.map(\.reply.summary)
        }
        #expect(first == ["storageFull"] && second == [""], "one answer each; nobody is done")
        let hasMore = engine.hasBackgroundWork
        #expect(!hasMore)
    }

    @Test func `history shows the moment of its request`() throws {
        let harness = try EngineHarness()
        for _ in 1...300 { _ = try harness.send("counter/a", #""increment""#) }
        let name = try harness.instance("counter/a")
        try harness.receive(.history(History(to: name, limit: 1_000)))
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        #expect(try harness.flush().replies.count == 1)
        var page: [String] = []
        var turns = 0
        while page.isEmpty {
            page = try work(harness)
            turns += 1
        }
        #expect(turns >= 3)
        let items = page[0].split(separator: " ")
        #expect(items.count == 300 && items.last == #"300:"increment""#)
    }

    @Test func `a delete waits for no page, and earlier pages are answered`() throws {
        let store = CountingStore()
        let harness = try EngineHarness(store: store)
        for _ in 1...300 { _ = try harness.send("counter/a", #""increment""#) }
        let name = try harness.instance("counter/a")
        let history = Operation.history(History(to: name, limit: 1_000))
        for _ in 0..<20 { try harness.receive(history) }
        _ = try harness.flush()
        store.reads = 0
        #expect(try harness.ask(.delete(name)).summary.hasPrefix("v300"))
        #expect(store.reads == 0)
        #expect(try harness.ask(history).summary.hasPrefix("noSuchInstance"))
        #expect(try harness.send("counter/a", #""increment""#) == "v1 changed")
        // The rest of it stays until they are read.
        #expect(try !harness.engine.purge(store: store))
        #expect(try store.record(at: 2)?.kind == .step)
        var pages: [String] = []
        var turns = 0
        while harness.engine.hasBackgroundWork {
            store.reads = 0
            pages += try work(harness)
            #expect(store.reads <= 70)
            turns += 1
        }
        #expect(turns > 80)
        #expect(pages.count == 20 && Set(pages).count == 1)
        #expect(pages[0].split(separator: " ").count == 300)
        while try harness.engine.purge(store: store) {}
        #expect(try store.record(at: 2)?.kind == .erased)
    }

    @Test func `a deleted instance is purged when its pages' client has gone`() throws {
        let harness = try EngineHarness()
        for _ in 1...300 { _ = try harness.send("counter/a", #""increment""#) }
        let name = try harness.instance("counter/a")
        let history = Operation.history(History(to: name, limit: 1_000))
        try harness.receive(history, from: ConnectionID(7))
        try harness.receive(history)
        try harness.receive(.delete(name))
        _ = try harness.flush()
        harness.engine.connectionClosed(ConnectionID(7))
        #expect(try !harness.engine.purge(store: harness.store))
        #expect(try harness.store.record(at: 2)?.kind == .step)
        harness.engine.connectionClosed(EngineHarness.connection)
        while try harness.engine.purge(store: harness.store) {}
        #expect(try harness.store.record(at: 2)?.kind == .erased)
    }

    @Test func `few of many requested pages are read at once`() throws {
        let store = CountingStore()
        let harness = try EngineHarness(store: store)
        for _ in 1...60 { _ = try harness.send("counter/a", #""increment""#) }
        let name = try harness.instance("counter/a")
        store.reads = 0
        for _ in 0..<100 { try harness.receive(.history(History(to: name, limit: 60))) }
        let absent = try harness.instance("counter/nobody")
        try harness.receive(.history(History(to: absent, limit: 60)))
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        #expect(store.reads < 8 * 70)
        // The replies that were read, the refusal, and the event.
        #expect(try harness.flush().replies.count == 10)
        var pages: [String] = []
        while harness.engine.hasBackgroundWork { pages += try work(harness) }
        #expect(pages.count == 92)
        #expect(pages.allSatisfy { $0.hasSuffix(#"60:"increment""#) }, "of their moment")
        // The next batch reads immediately again.
        try harness.receive(.history(History(to: name, limit: 5)))
        #expect(try harness.flush().replies.count == 1)
    }

    @Test func `a page of a deleted instance survives a failed commit`() throws {
        let store = FullStore(MemoryStore())
        let harness = try EngineHarness(store: store)
        for _ in 1...300 { _ = try harness.send("counter/a", #""increment""#) }
        let name = try harness.instance("counter/a")
        try harness.receive(.history(History(to: name, limit: 1_000)))
        try harness.receive(.delete(name))
        _ = try harness.flush()
        store.isFull = true
        #expect(try harness.send("counter/b", #""increment""#) == "storageFull")
        var page: [String] = []
        while page.isEmpty { page = try work(harness) }
        #expect(page[0].split(separator: " ").count == 300)
    }

    @Test func `history that truncation overtakes gives the remaining steps`() throws {
        let harness = try EngineHarness()
        for _ in 1...300 { _ = try harness.send("counter/a", #""increment""#) }
        let name = try harness.instance("counter/a")
        try harness.receive(.history(History(to: name, limit: 1_000)))
        _ = try harness.flush()
        #expect(try work(harness).isEmpty)
        let bounds = JournalBounds(stepsMax: 150)
        while try harness.engine.truncate(to: bounds, at: harness.now, store: harness.store) {}
        var page: [String] = []
        while page.isEmpty { page = try work(harness) }
        #expect(page[0].hasSuffix(#"300:"increment" first=151"#))
        #expect(page[0].hasPrefix(#"151:"increment""#))
    }

    @Test func `a page for a closed connection isn't read further`() throws {
        let harness = try prepared(700)
        try harness.receive(list(limit: 700), from: ConnectionID(7))
        try harness.receive(list(limit: 700))
        _ = try harness.flush()
        harness.engine.connectionClosed(ConnectionID(7))
        let told = try harness.flush().replies
        #expect(told.map(\.connection) == [ConnectionID(7)])
        #expect(told.map(\.reply.summary) == ["timeout(isRepeatable: false)"])
        var page: [String] = []
        while harness.engine.hasBackgroundWork { page += try work(harness) }
        #expect(page.count == 1)
    }

    @Test func `the number of waiting pages is bounded`() throws {
        var options = EngineOptions()
        options.queueRequestsMax = 800
        let harness = try prepared(700, options: options)
        for _ in 0..<799 { try harness.receive(list(limit: 700)) }
        for _ in 0..<3 { try harness.receive(list(limit: 700)) }
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies == ["overloaded", "overloaded"])
    }

    @Test func `the pages of one connection are bounded`() throws {
        let harness = try prepared(900)
        let burst = (UInt32(1)...30).map {
            Request(
                connection: EngineHarness.connection, token: $0, operation: list(limit: 1_000))
        }
        var place = 0
        let hasRoom = try harness.engine.receive(
            burst[...], from: &place, at: harness.now, store: harness.store)
        #expect(hasRoom && place == Limits.pagesPerConnectionMax)
        let mustWait = harness.engine.mustWait(burst[place])
        #expect(mustWait)
        let other = Request(
            connection: ConnectionID(77), token: 1, operation: list(limit: 1_000))
        let mustOtherWait = harness.engine.mustWait(other)
        #expect(!mustOtherWait)
        let definitions = Request(
            connection: EngineHarness.connection, token: 1, operation: .definitions())
        let mustSmallWait = harness.engine.mustWait(definitions)
        #expect(!mustSmallWait)
        _ = try harness.flush()
        while try work(harness).isEmpty {}
        let mustStillWait = harness.engine.mustWait(burst[place])
        #expect(!mustStillWait)
        harness.engine.connectionClosed(EngineHarness.connection)
        let mustWaitAfterwards = harness.engine.mustWait(burst[place])
        #expect(!mustWaitAfterwards)
    }

    @Test func `few pages are read at a time`() throws {
        let harness = try prepared(900)
        func request(_ connection: UInt64) -> Request {
            Request(
                connection: ConnectionID(connection), token: 1, operation: list(limit: 1_000))
        }
        var connection: UInt64 = 1
        while !harness.engine.mustWait(request(connection)) {
            var place = 0
            try harness.engine.receive(
                [request(connection)][...], from: &place, at: harness.now, store: harness.store)
            connection += 1
        }
        let free = harness.engine.freePages
        #expect(connection == UInt64(Limits.pagesMax) + 1 && free == 0)
        _ = try harness.flush()
        while try work(harness).isEmpty {}
        let freeAfterwards = harness.engine.freePages
        #expect(freeAfterwards == 1)
    }

    @Test func `subscriptions and pages take turns`() throws {
        let harness = try prepared(900)
        _ = try harness.subscribe("s", kinds: .output, from: .first)
        try harness.receive(list(limit: 900))
        _ = try harness.flush()
        var (page, sent): ([String], Int) = ([], 0)
        while page.isEmpty {
            let actions = try harness.engine.work(at: harness.now, store: harness.store)
            page += actions.replies.map(\.reply.summary)
            sent += actions.publications.count
        }
        #expect(sent > 100)
        try harness.settle()
    }

    @Test func `large states end a turn early`() throws {
        let harness = try EngineHarness(testDefinitions)
        for number in 0..<40 {
            _ = try harness.send("quiet/q\(100 + number)", #"{"type":"grow","value":20000}"#)
        }
        try harness.receive(.list(List()))
        #expect(try harness.flush().replies.isEmpty)
        var page: [String] = []
        var turns = 0
        while page.isEmpty {
            page = try work(harness)
            turns += 1
        }
        #expect(turns >= 2)
        #expect(page[0].split(separator: " ").count == 40)
    }

    @Test func `a store that can't be read ends the engine`() throws {
        let store = PageFaultStore()
        var engine = Engine(catalogue: try Catalogue(testDefinitions), store: store)
        let now = Timestamp(milliseconds: 1)
        for number in 0..<600 {
            let name = try #require(InstanceName("quiet/q\(number)"))
            let create = Create(to: name, input: nil, dedup: nil)
            try engine.receive(
                Request(
                    connection: EngineHarness.connection, token: 1, operation: .create(create)),
                at: now, store: store)
        }
        _ = try engine.flush(to: store, at: now)
        var all = List()
        all.machine = "quiet"
        all.limit = 1_000
        try engine.receive(
            Request(connection: EngineHarness.connection, token: 2, operation: .list(all)),
            at: now, store: store)
        _ = try engine.flush(to: store, at: now)
        store.isBroken = true
        #expect(throws: StoreError.self) { try engine.work(at: now, store: store) }
        #expect(throws: StoreError.self) { try engine.flush(to: store, at: now) }
    }
}

/// Fails reads of pages on demand.
private final class PageFaultStore: ForwardingStore {
    var isBroken = false

    init() { super.init(MemoryStore()) }

    override func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        if isBroken { throw .inputOutput("simulated") }
        return try super.instances(prefix: prefix, after: after, limit: limit, bytes: bytes)
    }
}
