import Testing
import Transducers

/// A timer as an effect that is started and stopped by the machine.
@Suite("Timers", .timeLimit(.minutes(1)))
struct OakTimersTests {
    enum Stopwatch: EffectTransducer {
        enum State: Terminable, Equatable {
            case stopped(count: Int)
            case running(count: Int)
            case discarded

            init() { self = .stopped(count: 0) }
            var isTerminal: Bool { self == .discarded }
        }
        enum Event { case start, stop, ping, discard }

        struct Env: Sendable {
            /// Waits for the next second.
            var second: @Sendable () async throws -> Void
            let stopped = Signal()
        }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch (event, state) {
            case (.start, .stopped(let count)):
                state = .running(count: count)
                return timer
            case (.stop, .running(let count)):
                state = .stopped(count: count)
                return .cancelTask("timer")
            case (.ping, .running(let count)):
                state = .running(count: count + 1)
                return .none
            case (.discard, .running):
                state = .discarded
                return .cancelTask("timer")
            case (.discard, .stopped):
                state = .discarded
                return .none
            case (.start, .running), (.stop, .stopped), (.ping, .stopped), (_, .discarded):
                return .none
            }
        }

        static var timer: Effect {
            Effect(id: "timer") { env, proxy in
                defer { env.stopped.fire() }
                while true {
                    try await env.second()
                    // A ping that doesn't count any more is no error of the timer's.
                    try? proxy.send(.ping)
                }
            }
        }
    }

    @MainActor final class Host { var watch = Stopwatch.State() }

    /// Seconds that pass when the test says so.
    struct Seconds {
        let stream: AsyncStream<Void>
        let pass: AsyncStream<Void>.Continuation
        init() { (stream, pass) = AsyncStream.makeStream() }

        func next() async throws {
            for await _ in stream { return }
            throw CancellationError()
        }
    }

    @MainActor
    @Test func `it pings while it runs and not after it was stopped`() async throws {
        let (host, proxy, seconds) = (Host(), Stopwatch.Proxy(), Seconds())
        let env = Stopwatch.Env(second: { try await seconds.next() })
        let task = Task {
            try await Stopwatch.run(state: \.watch, host: host, proxy: proxy, env: env)
        }
        try proxy.send(.ping)
        try proxy.send(.start)
        try proxy.send(.start)
        for count in 1...3 {
            seconds.pass.yield()
            await until { host.watch == .running(count: count) }
        }
        try proxy.send(.stop)
        await until { host.watch == .stopped(count: 3) }
        await env.stopped.wait()
        seconds.pass.yield()
        try proxy.send(.discard)
        try await task.value
        #expect(host.watch == .discarded)
    }

    @MainActor
    @Test func `it continues from where it was stopped`() async throws {
        let (host, proxy) = (Host(), Stopwatch.Proxy())
        host.watch = .stopped(count: 41)
        let env = Stopwatch.Env(second: { try await Task.sleep(for: .milliseconds(1)) })
        let task = Task {
            try await Stopwatch.run(state: \.watch, host: host, proxy: proxy, env: env)
        }
        try proxy.send(.start)
        await until {
            if case .running(let count) = host.watch { count >= 43 } else { false }
        }
        try proxy.send(.discard)
        try await task.value
        await env.stopped.wait()
    }

    /// A machine that gives up when it isn't told in time.
    enum Deadline: EffectTransducer {
        enum State: Terminable {
            case waiting, told, tooLate
            var isTerminal: Bool { self != .waiting }
        }
        enum Event { case begin, tell, timeout }
        typealias Output = String
        static func update(_ state: inout State, event: Event) -> (Self.Effect?, String) {
            switch event {
            case .begin:
                return (
                    Effect(
                        id: "timeout",
                        isolatedOperation: { _, input, _ in try input.send(.timeout) },
                        after: .milliseconds(2)), "waiting"
                )
            case .tell:
                state = .told
                return (.cancelTask("timeout"), "told")
            case .timeout:
                state = .tooLate
                return (nil, "too late")
            }
        }
    }

    @MainActor
    @Test func `a deadline passes, or is cancelled`() async throws {
        let late = Deadline.Proxy(initialEvent: .begin)
        #expect(try await Deadline.run(initialState: .waiting, proxy: late, env: ()) == "too late")
        let early = Deadline.Proxy(initialEvent: .begin)
        try early.send(.tell)
        #expect(try await Deadline.run(initialState: .waiting, proxy: early, env: ()) == "told")
    }
}
