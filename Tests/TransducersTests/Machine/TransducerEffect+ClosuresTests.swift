import Testing
import Transducers

/// The forms of effects whose closures don't ask for the environment.
@Suite("Effects without the environment", .timeLimit(.minutes(1)))
struct TransducerEffectClosuresTests {
    let doors = Doors()
    let host: ActorHost<Lab>

    init() { host = ActorHost<Lab>(initialState: Lab.State(), env: doors) }

    func notes(of effect: Lab.Effect) async -> [String] {
        let results = await host.send(.does("go", effect), tracking: .tree)
        await results.completion()
        return await host.state.notes
    }

    @Test func `a trailing closure with the context runs concurrently`() async throws {
        let doors = doors
        let results = await host.send(
            .does(
                "go",
                Lab.Effect { context in
                    await doors.pass("work")
                    try await context.sleep(for: .zero)
                    return .note("done")
                }), tracking: .tree)
        await doors.visit("work")
        // An action would have the machine wait.
        try await host.send(.note("meanwhile"))
        #expect(await host.state.notes == ["go", "meanwhile"])
        await doors.open("work")
        await results.completion()
        #expect(await host.state.notes == ["go", "meanwhile", "done"])
    }

    @Test func `a trailing closure that ignores its parameter runs concurrently`() async throws {
        let doors = doors
        let results = await host.send(
            .does(
                "go",
                Lab.Effect(id: "x") { _ in
                    await doors.pass("work")
                    return .note("done")
                }), tracking: .tree)
        await doors.visit("work")
        try await host.send(.note("meanwhile"))
        try await host.send(.does("stop", .cancel(id: "x")))
        await results.completion()
        #expect(results.isCancelled)
        await doors.open("work")
        #expect(await host.state.notes == ["go", "meanwhile", "stop"])
    }

    @Test func `a closure without parameters gives an event, or none`() async {
        #expect(await notes(of: Lab.Effect { .note("done") }) == ["go", "done"])
        #expect(await notes(of: Lab.Effect { nil }) == ["go", "done", "go"])
    }

    @Test func `an action has its label`() async throws {
        let doors = doors
        let acting = await host.send(
            .does(
                "go",
                Lab.Effect(action: { env in
                    await env.pass("act")
                    return .note("acted")
                })), tracking: .tree)
        await doors.visit("act")
        async let sent: Void = host.send(.note("later"))
        await until { await host.waitingCount == 1 }
        await doors.open("act")
        await acting.completion()
        try await sent
        #expect(await host.state.notes == ["go", "acted", "later"])
    }

    @Test func `a sequence is applied in order`() async {
        @Sendable func letters() -> AsyncStream<Lab.Event> {
            AsyncStream { continuation in
                for letter in ["a", "b", "c"] { continuation.yield(.note(letter)) }
                continuation.finish()
            }
        }
        #expect(await notes(of: Lab.Effect(id: "s", sequence: letters)) == ["go", "a", "b", "c"])
        let effect = Lab.Effect(sequence: { context in
            try await context.sleep(for: .zero)
            return letters()
        })
        #expect(await notes(of: effect).suffix(4) == ["go", "a", "b", "c"])
    }

    @Test func `fire and forget has both forms`() async {
        let doors = doors
        await doors.open("plain", "context")
        #expect(await notes(of: .fireAndForget { await doors.pass("plain") }) == ["go"])
        _ = await notes(
            of: .fireAndForget { context in
                try await context.clock.sleep(for: .zero)
                await doors.pass("context")
            })
        #expect(await doors.passed == ["plain", "context"])
    }

    @Test func `the next event has three names`() async {
        let effect = Lab.Effect.sequence(
            .nextAction(.note("a")), .next(.note("b")), .event(.note("c")))
        #expect(await notes(of: effect) == ["go", "a", "b", "c"])
    }
}
