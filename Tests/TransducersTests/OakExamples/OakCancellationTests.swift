import Testing
import Transducers

/// Ending a machine from outside, by its proxy or by the task that runs it, whatever it is at.
@Suite("Cancellation", .timeLimit(.minutes(1)))
struct OakCancellationTests {
    /// The activity of a machine when it is cancelled.
    enum Activity: CaseIterable, Sendable { case idle, action, output, operation }

    enum Busy: EffectTransducer {
        struct State: NonTerminal, Equatable { var events = 0 }
        enum Event { case begin(Activity), done }
        typealias Output = Activity
        struct Env: Sendable { let began = Signal(), interrupted = Signal() }

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Output) {
            state.events += 1
            guard case .begin(let activity) = event else { return (nil, .idle) }
            switch activity {
            case .idle:
                return (
                    Effect(isolatedAction: { env, _ in
                        env.began.fire()
                        return []
                    }), activity
                )
            case .action:
                return (
                    Effect(action: { env in
                        env.began.fire()
                        try await sleepUntilCancelled(then: env.interrupted)
                        return .done
                    }), activity
                )
            case .output:
                return (nil, activity)
            case .operation:
                return (
                    Effect { env, input in
                        env.began.fire()
                        try await sleepUntilCancelled(then: env.interrupted)
                        try input.send(.done)
                    }, activity
                )
            }
        }
    }

    final class Host { var busy = Busy.State() }

    /// Starts a machine and waits until it is at `activity`.
    @MainActor
    func start(
        _ activity: Activity, _ host: Host, _ proxy: Busy.Proxy, _ env: Busy.Env
    ) async throws -> Task<Activity, any Error> {
        let task = Task {
            try await Busy.run(
                state: \.busy, host: host, proxy: proxy, env: env,
                output: Callback { activity in
                    guard activity == .output else { return }
                    env.began.fire()
                    try await sleepUntilCancelled(then: env.interrupted)
                })
        }
        try proxy.send(.begin(activity))
        await env.began.wait()
        return task
    }

    @MainActor
    @Test(arguments: Activity.allCases)
    func `a proxy ends its machine`(at activity: Activity) async throws {
        let (host, proxy, env) = (Host(), Busy.Proxy(), Busy.Env())
        let task = try await start(activity, host, proxy, env)
        proxy.cancel()
        let error = await #expect(throws: TransducerError.self) { try await task.value }
        #expect(error == .cancelled)
        if activity != .idle { await env.interrupted.wait() }
        #expect(host.busy == .init(events: 1))
        #expect(throws: TransducerError.ended) { try proxy.send(.done) }
    }

    @MainActor
    @Test(arguments: Activity.allCases)
    func `cancelling the task ends the machine`(at activity: Activity) async throws {
        let (host, proxy, env) = (Host(), Busy.Proxy(), Busy.Env())
        let task = try await start(activity, host, proxy, env)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        if activity != .idle { await env.interrupted.wait() }
        #expect(host.busy == .init(events: 1))
        #expect(throws: TransducerError.ended) { try proxy.send(.done) }
    }

    struct PowerCut: Error, Equatable { var number: Int }

    @MainActor
    @Test(arguments: Activity.allCases)
    func `a proxy may say why, and the first reason holds`(at activity: Activity) async throws {
        let (host, proxy, env) = (Host(), Busy.Proxy(), Busy.Env())
        let task = try await start(activity, host, proxy, env)
        proxy.cancel(with: PowerCut(number: 1))
        proxy.cancel(with: PowerCut(number: 2))
        proxy.cancel()
        task.cancel()
        let error = await #expect(throws: PowerCut.self) { try await task.value }
        #expect(error == PowerCut(number: 1))
    }

    @MainActor
    @Test func `waiting events are not applied, and their senders get an error`() async throws {
        let (host, proxy, env) = (Host(), Busy.Proxy(), Busy.Env())
        let task = try await start(.action, host, proxy, env)
        let input = proxy.input
        let waiting = Task { try await input.sendAndWait(.done) }
        try proxy.send(.done)
        for _ in 1...10 { await Task.yield() }
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await task.value }
        #expect(host.busy == .init(events: 1))
        switch await waiting.result {
        case .success(let verdict): #expect(verdict == .notApplied(.cancelled))
        case .failure(let error): #expect(error as? TransducerError == .ended)
        }
    }

    @Test func `a machine that was cancelled before it began doesn't begin`() async throws {
        let proxy = Busy.Proxy(initialEvent: .begin(.operation))
        proxy.cancel(with: PowerCut(number: 3))
        let env = Busy.Env()
        let error = await #expect(throws: PowerCut.self) {
            try await Busy.run(initialState: .init(), proxy: proxy, env: env)
        }
        #expect(error == PowerCut(number: 3))
        #expect(!env.began.isFired)
    }

    @MainActor
    @Test func `a task that was cancelled before the machine began isn't affected`()
        async throws
    {
        enum Greeter: Transducer {
            struct State: NonTerminal {}
            enum Event { case any }
            static func update(_ state: inout State, event: Event) -> String { "any" }
            static func initialOutput(initialState: State) -> String? { "hello" }
        }
        let heard = Notes<String>()
        let task = Task {
            try await Greeter.run(
                initialState: .init(), proxy: .init(initialEvent: .any),
                output: Callback { heard.add($0) })
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for _ in 1...20 { await Task.yield() }
        #expect(heard.values.isEmpty)
    }

    /// Does something that doesn't care for being cancelled.
    enum Deaf: EffectTransducer {
        struct State: Terminable { var isTerminal = false }
        enum Event { case operate, act, finish }
        struct Env: Sendable { let began = Signal(), mayEnd = Signal(), ended = Signal() }

        static func update(_ state: inout State, event: Event) -> Self.Effect? {
            switch event {
            case .operate:
                return Effect { env, input in
                    await work(env)
                    try input.send(.finish)
                }
            case .act:
                return Effect(action: { env in
                    await work(env)
                    return .finish
                })
            case .finish:
                state.isTerminal = true
                return nil
            }
        }

        static func work(_ env: Env) async {
            env.began.fire()
            await env.mayEnd.wait()
            env.ended.fire()
        }
    }

    @MainActor
    @Test(arguments: [Deaf.Event.operate, .act])
    func `code that ignores cancellation isn't waited for on the caller's actor`(
        event: Deaf.Event
    ) async throws {
        let (proxy, env) = (Deaf.Proxy(initialEvent: event), Deaf.Env())
        let task = Task { try await Deaf.run(initialState: .init(), proxy: proxy, env: env) }
        await env.began.wait()
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await task.value }
        #expect(!env.ended.isFired)
        env.mayEnd.fire()
        await env.ended.wait()
    }

    @MainActor
    @Test func `an output callback that ignores cancellation isn't waited for`() async throws {
        let (proxy, env) = (Busy.Proxy(initialEvent: .begin(.output)), Deaf.Env())
        let task = Task {
            try await Busy.run(
                initialState: .init(), proxy: proxy, env: .init(),
                output: Callback { _ in await Deaf.work(env) })
        }
        await env.began.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!env.ended.isFired)
        env.mayEnd.fire()
    }

    @Test func `a caller without actor gets back when everything has ended`() async throws {
        let (proxy, env) = (Deaf.Proxy(initialEvent: .operate), Deaf.Env())
        let task = Task.detached {
            do {
                try await Deaf.run(initialState: .init(), proxy: proxy, env: env)
                return false
            } catch {
                return env.ended.isFired
            }
        }
        await env.began.wait()
        proxy.cancel()
        env.mayEnd.fire()
        #expect(await task.value)
    }

    @Test func `an operation ends normally when it was replaced, and its event is stale`()
        async throws
    {
        enum Echo: EffectTransducer {
            struct State: Terminable {
                var heard: [Int] = []
                var isTerminal: Bool { heard.contains(2) }
            }
            enum Event { case ask(Int), heard(Int) }
            struct Env: Sendable { let began = Signal(), mayEnd = Signal() }
            static func update(_ state: inout State, event: Event) -> (Self.Effect?, [Int]) {
                switch event {
                case .ask(let number):
                    let effect = Effect(id: "ask") { env, input in
                        if number == 1 {
                            env.began.fire()
                            await env.mayEnd.wait()
                        } else {
                            env.mayEnd.fire()
                            for _ in 1...20 { await Task.yield() }
                        }
                        try input.send(.heard(number))
                    }
                    return (effect, [])
                case .heard(let number):
                    state.heard.append(number)
                    return (nil, state.heard)
                }
            }
            typealias Output = [Int]
        }
        let (proxy, env) = (Echo.Proxy(initialEvent: .ask(1)), Echo.Env())
        let task = Task { try await Echo.run(initialState: .init(), proxy: proxy, env: env) }
        await env.began.wait()
        try proxy.send(.ask(2))
        #expect(try await task.value == [2])
    }
}
