import Testing
import Transducers

/// Grove's side of the article for those who come from Oak.
@Suite("Article: Coming from Oak", .timeLimit(.minutes(1)))
struct ComingFromOakExamples {
    enum Turnstile: EffectTransducer {
        enum State: NonTerminal { case locked, open }
        enum Event { case coin, push, tooSlow }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch (state, event) {
            case (.locked, .coin):
                state = .open
                return Effect(id: "close") { _, input in
                    try await Task.sleep(for: .seconds(20))
                    try input.send(.tooSlow)
                }
            case (.open, .push), (.open, .tooSlow):
                state = .locked
                return .cancelTask("close")
            case (.locked, _), (.open, .coin):
                return nil
            }
        }
    }

    static let close = Turnstile.Effect.after(.seconds(20), id: "close", .tooSlow)

    enum StrictTurnstile: Transducer {
        enum State: NonTerminal { case locked, open }
        enum Event { case coin, push }
        typealias Proxy = SyncSuspendingProxy<Event>

        static func update(_ state: inout State, event: Event) throws {
            switch (state, event) {
            case (.locked, .coin): state = .open
            case (.open, .push): state = .locked
            case (.locked, .push): throw Rejection("pay first", accepts: ["coin"])
            case (.open, .coin): throw Rejection("it is open", accepts: ["push"])
            }
        }
    }

    enum Timers: EffectTransducer {
        enum State: Terminable {
            case start(count: Int = 0)
            case running(count: Int)
            case terminated

            var isTerminal: Bool { if case .terminated = self { true } else { false } }
        }
        enum Event { case start, stop, ping, terminate }
        struct Env: Sendable {}

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch (event, state) {
            case (.start, .start(let count)):
                state = .running(count: count)
                return timer
            case (.stop, .running(let count)):
                state = .start(count: count)
                return .cancelTask("timer")
            case (.ping, .running(let count)):
                state = .running(count: count + 1)
                return nil
            case (.terminate, .start), (.terminate, .running):
                state = .terminated
                return .cancelTask("timer")
            case (.start, .running), (.stop, .start), (.ping, .start), (_, .terminated):
                return nil
            }
        }

        static let timer = Effect(id: "timer") { env, proxy in
            while true {
                try await Task.sleep(for: .seconds(1))
                try proxy.send(.ping)
            }
        }
    }

    struct Unreachable: Error {}

    enum Mailbox: EffectTransducer {
        enum State: NonTerminal { case idle, fetching, offline }
        enum Event { case fetch, done, lost }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch event {
            case .fetch:
                state = .fetching
                return Effect(id: "fetch") { _, _ in throw Unreachable() }
            case .done: state = .idle
            case .lost: state = .offline
            }
            return nil
        }

        static func effectFailed(_ failure: EffectFailure) -> Event? { .lost }
    }

    typealias Pair = Parallel<Turnstile, Mailbox, EndsWithAny>

    @Test func `a machine of Oak runs unchanged`() async throws {
        let proxy = Turnstile.Proxy(initialEvent: .coin)
        let run = Task { try await Turnstile.run(initialState: .locked, proxy: proxy, env: ()) }
        try await proxy.input.sendAndWait(.push)
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await run.value }
    }

    @Test func `a sender gets a refusal`() async {
        let proxy = StrictTurnstile.Proxy()
        let run = Task { try await StrictTurnstile.run(initialState: .locked, proxy: proxy) }
        let verdict = await proxy.send(.push)
        #expect(verdict == .refused(Rejection("pay first", accepts: ["coin"])))
        #expect(await proxy.send(.coin) == .applied)
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await run.value }
    }

    @Test func `a machine gets a failure and continues`() async {
        let host = ActorHost(of: Mailbox.self, initialState: .idle)
        let results = await host.send(.fetch, tracking: .tree)
        #expect(await results.errors.count == 1)
        #expect(await host.state == .offline)
    }

    @Test func `a product is a machine`() throws {
        let pair = SynchronousDriver(
            of: Pair.self, initialState: .init(first: .locked, second: .idle), env: PairEnv())
        try pair.send(.second(.done))
        #expect(pair.state.first == .locked)
    }

    @Test func `the timers of the introduction`() async throws {
        let timers = ActorHost<Timers>(initialState: .start(), env: Timers.Env())
        try await timers.send(.start)
        try await timers.send(.ping)
        try await timers.send(.stop)
        guard case .start(count: 1) = await timers.state else {
            Issue.record("not stopped")
            return
        }
        try await timers.send(.terminate)
        try await timers.result()
    }
}
