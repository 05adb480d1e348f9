import Testing
import Transducers

/// A machine that ends runs only the effects of its last step.
@Suite("The last step", .timeLimit(.minutes(1)))
struct OakLastStepTests {
    enum Shop: EffectTransducer {
        enum State: Terminable {
            case open, closed
            var isTerminal: Bool { self == .closed }
        }
        enum Event { case serve, close(Closing), never }
        enum Closing: CaseIterable, Sendable { case operation, action, isolated, several }
        struct Env: Sendable {
            let serving = Signal(), interrupted = Signal(), log = Notes<String>()
        }

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, String) {
            switch event {
            case .serve:
                return (
                    Effect(id: "serve") { env, _ in
                        env.serving.fire()
                        try await sleepUntilCancelled(then: env.interrupted)
                    }, "serving"
                )
            case .close(let closing):
                state = .closed
                return (sweep(closing), "closed")
            case .never:
                Issue.record("applied after the end")
                return (nil, "never")
            }
        }
        typealias Output = String

        static func sweep(_ closing: Closing) -> Self.Effect {
            switch closing {
            case .operation:
                Effect(id: "sweep") { env, input in
                    // Nobody listens any more; that is no error of the effect's.
                    try input.send(.never)
                    env.log.add("swept")
                }
            case .action:
                Effect(action: { env in
                    env.log.add("swept")
                    return [.never, .never]
                })
            case .isolated:
                Effect(
                    isolatedOperation: { env, input, isolated in
                        isolated.assertIsolated()
                        try input.send(.never)
                        env.log.add("swept")
                    }, after: .milliseconds(1))
            case .several:
                .sequence(
                    .event(.never),
                    Effect { env, _ in await Task.yield() },
                    Effect { env, _ in env.log.add("swept") })
            }
        }
    }

    @Workshop
    @Test(arguments: Shop.Closing.allCases)
    func `the last step's effect runs once, is waited for, and can't send`(
        closing: Shop.Closing
    ) async throws {
        let env = Shop.Env()
        let outputs = Notes<String>()
        let result = try await Shop.run(
            initialState: .open, proxy: .init(initialEvent: .close(closing)), env: env,
            output: Callback { outputs.add($0) })
        #expect(result == "closed")
        #expect(env.log.values == ["swept"])
        #expect(outputs.values == ["closed"])
    }

    @Workshop
    @Test func `effects of the steps before are cancelled`() async throws {
        let (proxy, env) = (Shop.Proxy(initialEvent: .serve), Shop.Env())
        async let result = Shop.run(initialState: .open, proxy: proxy, env: env)
        await env.serving.wait()
        try proxy.send(.close(.operation))
        #expect(try await result == "closed")
        await env.interrupted.wait()
        #expect(env.log.values == ["swept"])
    }

    @Test func `events after the last step are answered, not applied`() async throws {
        let (proxy, env) = (Shop.Proxy(), Shop.Env())
        try proxy.send(.close(.action))
        for _ in 1...3 { try proxy.send(.never) }
        #expect(try await Shop.run(initialState: .open, proxy: proxy, env: env) == "closed")
        #expect(proxy.report.unappliedCount == 3)
        #expect(throws: TransducerError.ended) { try proxy.input.send(.never) }
        await #expect(throws: TransducerError.ended) {
            try await proxy.input.sendAndWait(.never)
        }
        await #expect(throws: TransducerError.ended) { try await proxy.input.enqueue(.never) }
    }

    @MainActor
    @Test func `a sender that waits after the last step gets an error`() async throws {
        let (proxy, env) = (Shop.Proxy(), Shop.Env())
        try proxy.send(.close(.operation))
        let input = proxy.input
        let verdict = Task { @MainActor in try await input.sendAndWait(.never) }
        await Task.yield()
        #expect(try await Shop.run(initialState: .open, proxy: proxy, env: env) == "closed")
        #expect(try await verdict.value == .notApplied(.ended))
    }

    @Test func `immediate events of the last step aren't applied`() async throws {
        enum Chain: EffectTransducer {
            enum State: Terminable {
                case start, active, finished
                var isTerminal: Bool { self == .finished }
            }
            enum Event { case start, last, never }
            static func update(_ state: inout State, event: Event) -> Self.Effect? {
                switch (state, event) {
                case (.start, .start):
                    state = .active
                    return .events([.last, .never])
                case (.active, .last):
                    state = .finished
                    return .event(.never)
                default:
                    Issue.record("\(event) was applied")
                    return nil
                }
            }
        }
        try await Chain.run(initialState: .start, proxy: .init(initialEvent: .start), env: ())
    }

    @MainActor
    @Test func `cancelling the run doesn't wait for the last step's effect`() async throws {
        enum Slow: EffectTransducer {
            struct State: Terminable { var isTerminal = false }
            enum Event { case close }
            struct Env: Sendable { let began = Signal(), interrupted = Signal() }
            static func update(_ state: inout State, event: Event) -> Self.Effect? {
                state.isTerminal = true
                return Effect { env, _ in
                    env.began.fire()
                    try await sleepUntilCancelled(then: env.interrupted)
                }
            }
        }
        let (proxy, env) = (Slow.Proxy(initialEvent: .close), Slow.Env())
        let task = Task { try await Slow.run(initialState: .init(), proxy: proxy, env: env) }
        await env.began.wait()
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await task.value }
        await env.interrupted.wait()
    }
}
