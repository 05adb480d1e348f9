import Testing

@testable import Transducers

@Suite("ActorHost", .timeLimit(.minutes(1)))
struct ActorHostTests {
    @Test func `a released host answers events that it has accepted`() async throws {
        let (doors, verdicts) = (Doors(), Notes<SendVerdict>())
        var host: ActorHost<Lab>? = ActorHost<Lab>(initialState: Lab.State(), env: doors)
        let acting = Lab.Effect(action: { doors in
            await doors.pass("act")
            return .note("acted")
        })
        // On the host's actor: so both are taken together. The first one's step awaits an action.
        let asking = Lab.Effect(isolatedOperation: { _, input, _ in
            try input.sink.send(.does("first", acting)) { verdicts.add($0) }
            try input.sink.send(.note("second")) { verdicts.add($0) }
        })
        try await host?.send(.does("go", asking))
        await doors.visit("act")
        host = nil
        await until { verdicts.values.count == 2 }
        #expect(verdicts.values == [.applied, .notApplied(.cancelled)])
        await doors.open("act")
    }

    @Test func `a waiter for the end can be cancelled, and doesn't keep the host`() async throws {
        let told = Signal()
        var host: ActorHost<Tally>? = ActorHost(
            of: Tally.self, initialState: .counting(0), completion: { _ in told.fire() })
        let waiter = Task { [host] in try await host?.result() }
        for _ in 1...10 { await Task.yield() }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        host = nil
        await told.wait()
    }

    @Test func `all waiters for the end get it`() async throws {
        let host = ActorHost(of: Tally.self, initialState: .counting(0))
        async let one = host.result()
        async let two = host.result()
        for _ in 1...10 { await Task.yield() }
        try await host.send(.increment)
        try await host.send(.finish)
        #expect(try await one == 1)
        #expect(try await two == 1)
        #expect(try await host.result() == 1)
    }

    @Test func `the trace is called in order, and may query the host`() async throws {
        let applied = Notes<Int>()
        let options = RunOptions<Tally>(trace: { record in
            if case .applied(_, _, _, let output) = record { applied.add(output) }
        })
        let host = ActorHost(of: Tally.self, initialState: .counting(0), options: options)
        for _ in 1...3 { try await host.send(.increment) }
        #expect(applied.values == [1, 2, 3])
    }
}
