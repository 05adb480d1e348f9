import Testing
import Transducers

/// Trying again, a limited number of times, with the attempt as a part of the state.
@Suite("Retrying", .timeLimit(.minutes(1)))
struct OakRetryTests {
    struct Unreachable: Error, Equatable {}

    enum Download: EffectTransducer {
        enum State: Terminable {
            case idle
            case loading
            case retrying(attempt: Int)
            case failed(any Error)
            case loaded(Int)

            var isTerminal: Bool {
                switch self {
                case .failed, .loaded: true
                default: false
                }
            }
        }
        enum Event {
            case load, retry
            case failed(any Error)
            case received(Int)
        }
        struct Env: Sendable {
            var load: @Sendable () async throws -> Int
            var shown = Notes<String>()
        }

        static func update(_ state: inout State, event: Event) -> Self.Effect? {
            switch (state, event) {
            case (.idle, .load):
                state = .loading
                return loadEffect()
            case (.loading, .failed):
                state = .retrying(attempt: 1)
                return retryAfterDelay()
            case (.retrying(let attempt), .failed) where attempt < 3:
                state = .retrying(attempt: attempt + 1)
                return retryAfterDelay()
            case (.retrying, .failed(let error)):
                state = .failed(error)
                return show("gave up")
            case (.retrying, .retry):
                return loadEffect()
            case (.loading, .received(let size)), (.retrying, .received(let size)):
                state = .loaded(size)
                return nil
            default:
                return nil
            }
        }

        static func loadEffect() -> Self.Effect {
            Effect(id: "load") { env, input in
                do {
                    try input.send(.received(try await env.load()))
                } catch {
                    try input.send(.failed(error))
                }
            }
        }

        static func retryAfterDelay() -> Self.Effect {
            Effect(
                id: "retry",
                isolatedOperation: { _, input, isolated in
                    isolated.assertIsolated()
                    try input.send(.retry)
                }, after: .milliseconds(1))
        }

        static func show(_ text: String) -> Self.Effect {
            Effect(isolatedAction: { env, isolated in
                env.shown.add(text)
                return []
            })
        }
    }

    final class Host { var download = Download.State.idle }

    @MainActor
    @Test func `it gives up after the first try and three more`() async throws {
        let (host, tries) = (Host(), Notes<Int>())
        let env = Download.Env(load: {
            tries.add(1)
            throw Unreachable()
        })
        try await Download.run(
            state: \.download, host: host, proxy: .init(initialEvent: .load), env: env)
        guard case .failed(let error) = host.download else { return #expect(Bool(false)) }
        #expect(error is Unreachable)
        #expect(tries.values.count == 4)
        #expect(env.shown.values == ["gave up"])
    }

    @MainActor
    @Test func `a late success is a success`() async throws {
        let (host, tries) = (Host(), Notes<Int>())
        let env = Download.Env(load: {
            tries.add(1)
            guard tries.values.count == 3 else { throw Unreachable() }
            return 512
        })
        try await Download.run(
            state: \.download, host: host, proxy: .init(initialEvent: .load), env: env)
        guard case .loaded(let size) = host.download else { return #expect(Bool(false)) }
        #expect(size == 512)
        #expect(env.shown.values.isEmpty)
    }

    @MainActor
    @Test func `a load that throws by itself leaves the machine alive`() async throws {
        enum Careless: EffectTransducer {
            struct State: Terminable { var isTerminal = false }
            enum Event { case load, stop }
            static func update(_ state: inout State, event: Event) -> Effect? {
                switch event {
                case .load:
                    return Effect(id: "load") { _, _ in throw Unreachable() }
                case .stop:
                    state.isTerminal = true
                    return nil
                }
            }
        }
        let proxy = Careless.Proxy(initialEvent: .load)
        let task = Task { try await Careless.run(initialState: .init(), proxy: proxy, env: ()) }
        await until { proxy.report.effectFailureCount == 1 }
        try proxy.send(.stop)
        try await task.value
        #expect(proxy.report.effectFailures.first?.error is Unreachable)
        #expect(proxy.report.effectFailures.first?.description.contains("load") == true)
    }
}
