import Testing
import Transducers

@Suite("Effects: identity and queues")
struct EffectBehaviourTests {
    let doors = Doors()
    let host: ActorHost<Lab>

    init() { host = ActorHost(initialState: Lab.State(), env: doors) }

    func run(_ name: String, _ effect: Lab.Effect) async -> SendResults<String> {
        await host.send(.does(name, effect), tracking: .tree)
    }

    @Test func `replace: the first run's late result is stale`() async {
        let first = await run("1", Lab.task("a", id: "x"))
        await doors.visit("a")
        let second = await run("2", Lab.task("b", id: "x"))
        // The first run ignores that it was cancelled, and reports.
        await doors.open("a", "b")
        await first.completion()
        await second.completion()
        while await host.report.staleCount == 0 { await Task.yield() }
        #expect(await host.state.notes == ["1", "2", "b"])
        #expect(await host.report.staleCount == 1)
    }

    @Test func `coexist: both arrive`() async {
        let first = await run("1", Lab.task("a", id: "x"))
        let second = await run("2", Lab.task("b", id: "x", policy: .coexist))
        await doors.open("a", "b")
        await first.completion()
        await second.completion()
        #expect(await Set(host.state.notes) == ["1", "2", "a", "b"])
    }

    @Test func `cancel then start leaves the new one alive, start then cancel leaves none`() async {
        let kept = await run("1", .parallel(.cancel(id: "x"), Lab.task("a", id: "x")))
        await doors.open("a", "b")
        await kept.completion()
        let gone = await run("2", .parallel(Lab.task("b", id: "x"), .cancel(id: "x")))
        await gone.completion()
        #expect(await host.state.notes == ["1", "a", "2"])
    }

    @Test func `handler gives up: effectFailed, the instance lives`() async throws {
        await doors.open("bad")
        let results = await run("go", Lab.failing("bad", id: "charge"))
        #expect(await results.errors.count == 1)
        #expect(await host.state.notes == ["go", "failed charge"])
        try await host.send(.note("on"))
        #expect(await host.state.notes.last == "on")
    }

    @Test func `an unhandled failure is kept in the report`() async throws {
        await doors.open("bad")
        try await host.send(.does("go", Lab.failing("bad")))
        while await host.report.effectFailureCount == 0 { await Task.yield() }
        #expect(await host.report.effectFailures.first?.error as? Lab.Oops == .init(name: "bad"))
    }

    @Test func `a handler that reports cancellation has not failed`() async {
        let results = await run("go", .fireAndForget { _, _ in throw CancellationError() })
        #expect(await results.errors.isEmpty)
    }

    struct One: Newest1EffectQueue {}
    struct Line: Oldest1SuspendNewEffectQueue {}

    @Test(arguments: [One() as any EffectQueue, Line()])
    func `a recursive chain through newest(1) and oldest(1, suspend) completes`(
        queue: any EffectQueue
    ) async {
        @Sendable func link(_ left: Int) -> Lab.Effect {
            .run(queue: queue) { _, _ in
                left == 0 ? .note("done") : .does("\(left)", link(left - 1))
            }
        }
        let results = await run("go", link(5))
        #expect(await results.outputs == ["go", "5", "4", "3", "2", "1", "done"])
    }

    @Test func `a sequence stops at a failure`() async {
        await doors.open("a", "bad", "c")
        let results = await run(
            "go", .sequence(Lab.task("a"), Lab.failing("bad", id: "b"), Lab.task("c")))
        await results.completion()
        #expect(await host.state.notes == ["go", "a", "failed b"])
        #expect(await doors.passed == ["a", "bad"])
    }

    @Test func `a sequence within a sequence, and parallel parts, wait for all`() async {
        await doors.open("a", "b", "c", "d")
        let results = await run(
            "go",
            .sequence(
                .parallel(Lab.task("a"), .sequence(Lab.task("b"), .event(.note("b2")))),
                .event(.note("both")), Lab.task("c"), .empty, .event(.note("last"))))
        await results.completion()
        let notes = await host.state.notes
        #expect(Set(notes.prefix(4)) == ["go", "a", "b", "b2"])
        #expect(notes.suffix(3) == ["both", "c", "last"])
    }

    @Test func `an action keeps other events waiting, in order`() async throws {
        let action = Lab.Effect(action: { doors in
            await doors.pass("act")
            return [.note("x"), .note("y")]
        })
        let host = host
        try await host.send(.does("go", .empty))
        let acting = await host.send(.does("act", action), tracking: .tree)
        await doors.visit("act")
        let late = Task { try await host.send(.note("late")) }
        while await host.waitingCount == 0 { await Task.yield() }
        await doors.open("act")
        try await late.value
        #expect(await acting.outputs == ["act", "x", "y"])
        #expect(await host.state.notes == ["go", "act", "x", "y", "late"])
    }

    @Test func `an effect that bursts beyond the inbox loses nothing`() async {
        let burst = Lab.Effect { _, input in
            for number in 1...5_000 { try input.send(.note("\(number)")) }
        }
        let proxy = Lab.Proxy(bufferSize: 1)
        var seen = 0
        let options = RunOptions<Lab>(trace: { record in
            if case .applied(.note, _, _, _) = record { seen += 1 }
            if case .effectEnded = record { _ = try? proxy.send(.note("end")) }
        })
        _ = try? proxy.send(.does("go", burst))
        _ = try? await Lab.run(
            initialState: Lab.State(), proxy: proxy, env: doors, options: options)
        #expect(seen == 5_001)
    }
}
