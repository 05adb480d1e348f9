import Testing

@testable import Transducers

@Suite("Tracked sends")
struct TrackedSendTests {
    let doors = Doors()
    let host: ActorHost<Lab>

    init() { host = ActorHost<Lab>(initialState: Lab.State(), env: doors) }

    func send(
        _ name: String, _ effect: Lab.Effect, tracking: EffectTracking = .own,
        id: (any Hashable & Sendable)? = nil
    ) async -> SendResults<String> {
        await host.send(.does(name, effect), tracking: tracking, id: id)
    }

    @Test func `values then one failure, siblings still report`() async {
        let results = await send(
            "go", .parallel(Lab.task("a"), Lab.failing("bad"), Lab.task("b")), tracking: .tree)
        await doors.open("a")
        await doors.visit("bad")
        await doors.open("bad")
        await doors.visit("b")
        await doors.open("b")
        await results.completion()
        let all = await results.allResults
        #expect(Set(all.compactMap { try? $0.get() }) == ["go", "a", "b"])
        #expect(all.count { if case .failure = $0 { true } else { false } } == 1)
        #expect(await Set(host.state.notes) == ["go", "a", "b"])
    }

    @Test func `early and late failures both arrive`() async {
        let results = await send(
            "go", .parallel(Lab.failing("early"), Lab.task("between"), Lab.failing("late")))
        await doors.open("early", "between")
        await doors.visit("late")
        await doors.open("late")
        let errors = await results.errors.map { $0 as? Lab.Oops }
        #expect(Set(errors) == [Lab.Oops(name: "early"), Lab.Oops(name: "late")])
    }

    @Test func `own against tree`() async {
        func chain(_ tracking: EffectTracking) async -> [String] {
            await doors.open("first", "second")
            let effect = Lab.task("first", then: .does("first", Lab.task("second")))
            return await send("go", effect, tracking: tracking).outputs
        }
        #expect(await chain(.own) == ["go"])
        #expect(await chain(.tree) == ["go", "first", "second"])
    }

    @Test func `own waits for its effects' work, not for what they cause`() async {
        let effect = Lab.task("first", then: .does("first", Lab.task("second")))
        let results = await send("go", effect)
        await doors.visit("first")
        await doors.open("first")
        // "second" is never opened.
        await results.completion()
        await doors.visit("second")
        #expect(await host.state.notes == ["go", "first"])
    }

    @Test
    func `a tracked request cancelled midway: running descendants cancelled, finished ones stay`()
        async
    {
        let inner = Lab.Effect.run { doors, context in
            await doors.pass("inner")
            try await context.sleep(for: .seconds(3_600))
            return .note("inner")
        }
        let effect = Lab.task("first", then: .does("first", inner))
        let results = await send("go", effect, tracking: .tree)
        await doors.open("first", "inner")
        await doors.visit("inner")
        results.cancel()
        await results.completion()
        #expect(results.isCancelled)
        #expect(await host.state.notes == ["go", "first"])
        try? await host.send(.note("later"))
        #expect(await host.state.notes == ["go", "first", "later"])
    }

    @Test func `two requests under one id cancelled together, another untouched`() async throws {
        let one = await send("one", Lab.task("a"), id: "batch")
        let two = await send("two", Lab.task("b"), id: "batch")
        let other = await send("other", Lab.task("c"), id: "single")
        for name in ["a", "b", "c"] { await doors.visit(name) }
        try await host.send(.does("stop", .cancel(id: "batch")))
        await one.completion()
        await two.completion()
        await doors.open("a", "b", "c")
        await other.completion()
        #expect(await host.state.notes == ["one", "two", "other", "stop", "c"])
    }

    @Test func `oldest(2, discard): the third runs no code and its sender settles`() async {
        struct Two: EffectQueue {
            var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 2, .discardNew) }
        }
        _ = await send("1", Lab.task("a", queue: Two()))
        _ = await send("2", Lab.task("b", queue: Two()))
        let third = await send("3", Lab.task("c", queue: Two()))
        #expect(await third.outputs == ["3"])
        await doors.open("a", "b", "c")
        #expect(await !doors.passed.contains("c"))
    }

    @Test func `oldest(1, suspend): second after first, its sender settles then`() async {
        struct Line: Oldest1SuspendNewEffectQueue {}
        let first = await send("1", Lab.task("a", queue: Line()), tracking: .tree)
        let second = await send("2", Lab.task("b", queue: Line()), tracking: .tree)
        await doors.open("b")
        await doors.visit("a")
        #expect(await doors.passed.isEmpty)
        await doors.open("a")
        #expect(await first.outputs == ["1", "a"])
        #expect(await second.outputs == ["2", "b"])
        #expect(await doors.passed == ["a", "b"])
    }

    @Test func `a refused event is its sender's one result`() async {
        let host = ActorHost(of: Tally.self, initialState: .counting(0))
        let results = await host.send(.refuse, tracking: .tree)
        let errors = await results.errors.map { $0 as? Rejection }
        #expect(errors == [Rejection("not now", accepts: ["increment", "finish"])])
    }

    @Test func `unread results make room, and are counted`() async {
        let host = ActorHost<Lab>(
            initialState: Lab.State(), env: doors,
            options: RunOptions<Lab>(immediateEventsMax: 2_000))
        let count = RunLimits.waitingResults + 10
        let results = await host.send(
            .does("go", .events((1...count).map { .note("\($0)") })), tracking: .own)
        await results.completion()
        // The event's own output is the first of them.
        #expect(results.droppedCount == 11)
        #expect(await results.outputs.first == "11")
    }

    @Test func `results come as they happen`() async throws {
        let results = await send("go", Lab.task("a"), tracking: .tree)
        let iterator = results.makeAsyncIterator()
        #expect(try await iterator.next()?.get() == "go")
        await doors.open("a")
        #expect(try await iterator.next()?.get() == "a")
        #expect(await iterator.next() == nil)
    }

    @Test func `results are shared among readers, and all end with the work`() async {
        let results = await send("go", Lab.task("a"), tracking: .tree)
        func read() -> Task<[String], Never> {
            Task {
                var all: [String] = []
                for await result in results { all.append((try? result.get()) ?? "failed") }
                return all
            }
        }
        let (one, two, cancelled) = (read(), read(), read())
        await until { results.readerCount == 3 }
        cancelled.cancel()
        _ = await cancelled.value
        // The others still wait.
        await until { results.readerCount == 2 }
        await doors.open("a")
        let (first, second) = await (one.value, two.value)
        #expect(Set(first + second).isSubset(of: ["go", "a"]) && (first + second).contains("a"))
    }

    @Test func `a released host settles its senders`() async {
        let doors = doors
        var host: ActorHost<Lab>? = ActorHost<Lab>(initialState: Lab.State(), env: doors)
        let results = await host!.send(.does("go", Lab.task("never")), tracking: .tree)
        await doors.visit("never")
        host = nil
        await results.completion()
        await doors.open("never")
    }

    @Test func `a send whose effect was cancelled by its id says so`() async throws {
        let results = await send("go", Lab.task("a", id: "timer"))
        await doors.visit("a")
        try await host.send(.does("stop", .cancel(id: "timer")))
        #expect(await results.outputs == ["go"])
        #expect(results.isCancelled)
        await doors.open("a")
    }

    @Test func `a send whose effect was replaced, or found no room, says so`() async throws {
        struct One: Oldest1DiscardNewEffectQueue {}
        let replaced = await send("1", Lab.task("a", id: "timer"))
        let replacing = await send("2", Lab.task("b", id: "timer"))
        let first = await send("3", Lab.task("c", queue: One()))
        let discarded = await send("4", Lab.task("d", queue: One()))
        await replaced.completion()
        await discarded.completion()
        await doors.open("a", "b", "c")
        await replacing.completion()
        await first.completion()
        #expect(replaced.isCancelled)
        #expect(!replacing.isCancelled)
        #expect(!first.isCancelled)
        #expect(discarded.isCancelled)
    }

    @Test func `a send that was cancelled by its own id, or with its host, says so`() async throws {
        let batch = await send("one", Lab.task("a"), id: "batch")
        await doors.visit("a")
        try await host.send(.does("stop", .cancel(id: "batch")))
        await batch.completion()
        #expect(batch.isCancelled)
        var other: ActorHost<Lab>? = ActorHost<Lab>(initialState: Lab.State(), env: doors)
        let left = await other?.send(.does("go", Lab.task("b")), tracking: .own)
        await doors.visit("b")
        other = nil
        await left?.completion()
        #expect(left?.isCancelled == true)
        await doors.open("a", "b")
    }

    @Test func `a send that ended well, or failed, isn't cancelled`() async throws {
        await doors.open("a", "b")
        let well = await send("1", Lab.task("a"), tracking: .tree)
        let failed = await send("2", Lab.failing("b"))
        await well.completion()
        await failed.completion()
        #expect(!well.isCancelled)
        #expect(!failed.isCancelled)
    }

    /// Says something at every other event, and fails at the effect of `fail`.
    enum Quiet: EffectTransducer {
        enum State: NonTerminal { case only }
        enum Event: Sendable { case speak, fail }
        typealias Output = String?
        struct Oops: Error {}

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, String?) {
            switch event {
            case .speak: (nil, "words")
            case .fail: (.run { _, _ in throw Oops() }, nil)
            }
        }
    }

    @Test func `silent outputs are no results`() async throws {
        let host = ActorHost(of: Quiet.self, initialState: .only)
        let failed = await host.send(.fail, tracking: .tree)
        let first = await failed.first { _ in true }
        #expect(throws: Quiet.Oops.self) { try first?.get() }
        #expect(await host.send(.speak, tracking: .tree).outputs == ["words"])
        let driver = SynchronousDriver(of: Quiet.self, initialState: .only)
        #expect(try driver.outputs(of: .speak) == ["words"])
        #expect(try driver.outputs(of: .fail).isEmpty)
    }

    @Test func `a waiter for the end of a send can be cancelled`() async throws {
        let results = await send("go", Lab.task("a"))
        let waiter = Task { await results.completion() }
        let reader = Task { await results.allResults.count }
        await doors.visit("a")
        waiter.cancel()
        reader.cancel()
        await waiter.value
        #expect(await reader.value == 1)
        #expect(!results.isCancelled)
        await doors.open("a")
        await results.completion()
    }
}
