import Testing
import Transducers

/// A counter whose counting takes time and happens elsewhere; one click at a time.
@Suite("A counter with effects", .timeLimit(.minutes(1)))
struct OakEffectCounterTests {
    enum RemoteCounter: EffectTransducer {
        struct State: NonTerminal, Equatable {
            enum Pending { case nothing, up, down }
            var value = 0
            var pending = Pending.nothing
            var isPending: Bool { pending != .nothing }
        }
        static var initialState: State { State() }

        struct Env: Sendable {
            var up: @Sendable () async throws -> Void
            var down: @Sendable () async throws -> Void
        }

        enum Event { case up, down, reset, upDone, downDone }

        static func upEffect() -> Self.Effect {
            Effect { env, input in
                try await env.up()
                try input.send(.upDone)
            }
        }

        static func downEffect() -> Self.Effect {
            Effect(id: "down") { env, input in
                try await env.down()
                try input.send(.downDone)
            }
        }

        static func update(_ state: inout State, event: Event) -> Self.Effect? {
            switch (state.pending, event) {
            case (.nothing, .up):
                state.pending = .up
                return upEffect()
            case (.nothing, .down):
                state.pending = .down
                return downEffect()
            case (.up, .upDone):
                state = State(value: state.value + 1)
                return nil
            case (.down, .downDone):
                state = State(value: state.value - 1)
                return nil
            case (_, .reset):
                state = State()
                return .cancelTask("down")
            default:
                return nil
            }
        }
    }

    @MainActor final class Host { var counter = RemoteCounter.initialState }

    @MainActor
    @Test func `clicks during a click are ignored`() async throws {
        let (host, proxy) = (Host(), RemoteCounter.Proxy())
        let isOpen = Signal()
        let env = RemoteCounter.Env(up: { await isOpen.wait() }, down: {})
        let task = Task {
            try await RemoteCounter.run(
                state: \.counter, host: host, proxy: proxy, env: env)
        }
        try proxy.send(.up)
        try proxy.send(.up)
        try proxy.send(.down)
        await until { host.counter.isPending }
        isOpen.fire()
        await until { !host.counter.isPending }
        #expect(host.counter == .init(value: 1))
        try proxy.send(.down)
        await until { host.counter.value == 0 }
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await task.value }
    }

    @MainActor
    @Test func `after a reset a running click doesn't count`() async throws {
        let (host, proxy) = (Host(), RemoteCounter.Proxy())
        host.counter.value = 8
        let interrupted = Signal()
        let env = RemoteCounter.Env(
            up: {}, down: { try await sleepUntilCancelled(then: interrupted) })
        let task = Task {
            try await RemoteCounter.run(
                state: \.counter, host: host, proxy: proxy, env: env)
        }
        try proxy.send(.down)
        await until { host.counter.isPending }
        try proxy.send(.reset)
        await interrupted.wait()
        await until { host.counter == .init() }
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await task.value }
        #expect(host.counter == .init())
    }
}
