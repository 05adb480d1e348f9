import Testing
import Transducers

/// A sender that waits is answered, however the machine ends and whatever it waits for itself.
@Suite("Answers of senders that wait", .timeLimit(.minutes(1)))
struct PendingAnswerTests {
    struct Boom: Error {}

    /// Counts, and tells the count.
    enum Counter: Transducer {
        struct State: NonTerminal { var count = 0 }
        enum Event { case tick }

        static func update(_ state: inout State, event: Event) -> Int {
            state.count += 1
            return state.count
        }
    }

    enum SlowCounter: Transducer {
        typealias State = Counter.State
        typealias Event = Counter.Event
        typealias Proxy = SyncSuspendingProxy<Event>

        static func update(_ state: inout State, event: Event) -> Int {
            Counter.update(&state, event: event)
        }
    }

    @Test func `the sender of the event whose callback fails is answered`() async throws {
        let proxy = Counter.Proxy()
        let input = proxy.input
        async let verdict = input.sendAndWait(.tick)
        await #expect(throws: Boom.self) {
            try await Counter.run(
                initialState: .init(), proxy: proxy, output: Callback { _ in throw Boom() })
        }
        #expect(try await verdict == .applied)
    }

    @Test func `the sender by a suspending proxy is answered when the callback fails`() async throws
    {
        let proxy = SlowCounter.Proxy()
        async let verdict = proxy.send(.tick)
        await #expect(throws: Boom.self) {
            try await SlowCounter.run(
                initialState: .init(), proxy: proxy, output: Callback { _ in throw Boom() })
        }
        #expect(await verdict == .applied)
    }

    @MainActor
    @Test func `cancelling a run answers all senders during a callback`() async throws {
        let (proxy, called, mayEnd) = (Counter.Proxy(), Signal(), Signal())
        let input = proxy.input
        // Three events stand in the inbox when the machine begins, and are taken together. Each is
        // sent when the one before it stands there: tasks have no order among themselves.
        var verdicts: [Task<SendVerdict, any Error>] = []
        for count in 1...3 {
            verdicts.append(Task { @MainActor in try await input.sendAndWait(.tick) })
            await until { proxy.waitingCount == count }
        }
        let run = Task {
            try await Counter.run(
                initialState: .init(), proxy: proxy,
                output: Callback { _ in
                    called.fire()
                    await mayEnd.wait()
                })
        }
        await called.wait()
        proxy.cancel()
        // The callback still stands.
        #expect(try await verdicts[0].value == .applied)
        #expect(try await verdicts[1].value == .notApplied(.cancelled))
        #expect(try await verdicts[2].value == .notApplied(.cancelled))
        await #expect(throws: TransducerError.cancelled) { try await run.value }
        mayEnd.fire()
    }

    @MainActor
    @Test func `cancelling a run answers the sender of a running action`() async throws {
        let doors = Doors()
        let proxy = Lab.Proxy()
        let run = Task { try await Lab.run(initialState: .init(), proxy: proxy, env: doors) }
        let input = proxy.input
        let verdict = Task { @MainActor in
            try await input.sendAndWait(
                .does(
                    "act",
                    Lab.Effect(action: { doors in
                        await doors.pass("act")
                        return .note("acted")
                    })))
        }
        await doors.visit("act")
        proxy.cancel()
        #expect(try await verdict.value == .applied)
        await #expect(throws: TransducerError.cancelled) { try await run.value }
        await doors.open("act")
    }

    @Test
    func `a run on no actor returns when it is cancelled while a stream's event is delivered`()
        async throws
    {
        let (proxy, called) = (Lab.Proxy(), Signal())
        let doors = Doors()
        let run = Task.detached {
            try await Lab.run(
                initialState: .init(), proxy: proxy, env: doors,
                output: Callback { text in
                    guard text == "from the stream" else { return }
                    called.fire()
                    try await Task.sleep(for: .seconds(3_600))
                })
        }
        try proxy.send(
            .does(
                "go",
                .stream { _, _ in
                    AsyncStream { continuation in
                        continuation.yield(.note("from the stream"))
                        continuation.yield(.note("never"))
                    }
                }))
        await called.wait()
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await run.value }
    }

    @Test func `a refusal is reported, not the end of the run`() async throws {
        let proxy = Tally.Proxy()
        let input = proxy.input
        async let result = Tally.run(initialState: .counting(0), proxy: proxy)
        #expect(
            try await input.sendAndWait(.refuse)
                == .refused(Rejection("not now", accepts: ["increment", "finish"])))
        #expect(try await input.sendAndWait(.finish) == .applied)
        #expect(try await result == 0)
    }

    @Test func `an event in a proxy is answered when the proxy is released`() throws {
        let verdicts = Notes<SendVerdict>()
        var proxy: Counter.Proxy? = Counter.Proxy()
        try proxy?.channel.send(.tick, answer: { verdicts.add($0) })
        #expect(verdicts.values.isEmpty)
        proxy = nil
        #expect(verdicts.values == [.notApplied(.ended)])
    }
}
