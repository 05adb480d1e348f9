import Testing
import Transducers

/// Waits for a machine that are allowed, and those that would deadlock.
@Suite("Waiting in a step", .timeLimit(.minutes(1)))
struct StepInProgressTests {
    /// Counts what it is sent; ends at `stop`.
    enum Counter: EffectTransducer {
        struct State: Terminable {
            var count = 0
            var isTerminal = false
        }
        enum Event: Sendable { case tick, stop, act }
        typealias Env = @Sendable () async -> Void
        typealias Output = Int
        typealias Proxy = SyncSuspendingProxy<Event>

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            state.count += 1
            state.isTerminal = event == .stop
            guard event == .act else { return (nil, state.count) }
            let effect = Effect(action: { work in
                await work()
                return []
            })
            return (effect, state.count)
        }
    }

    @Test func `a machine that was started in a callback waits for the other's later steps`()
        async throws
    {
        let (first, second) = (Counter.Proxy(), Counter.Proxy())
        let verdicts = Notes<SendVerdict>()
        let inner = Notes<Task<Int, any Error>>()
        async let result = Counter.run(
            initialState: .init(), proxy: first, env: {},
            output: Callback { count in
                guard count == 1 else { return }
                inner.add(
                    Task {
                        try await Counter.run(
                            initialState: .init(), proxy: second, env: {},
                            output: Callback { count in
                                if count == 2 { verdicts.add(await first.send(.tick)) }
                            })
                    })
            })
        #expect(await first.send(.tick) == .applied)
        // The step in which the second machine was started is over.
        #expect(await second.send(.tick) == .applied)
        #expect(await second.send(.tick) == .applied)
        #expect(verdicts.values == [.applied])
        await second.send(.stop)
        await first.send(.stop)
        #expect(try await result == 3)
        #expect(try await inner.values[0].value == 3)
    }

    @Test func `a machine that is awaited in a callback can't wait for the one around it`()
        async throws
    {
        let (outer, inner) = (Counter.Proxy(), Counter.Proxy())
        let verdicts = Notes<SendVerdict>()
        async let result = Counter.run(
            initialState: .init(), proxy: outer, env: {},
            output: Callback { count in
                guard count == 1 else { return }
                async let last = inner.send(.stop)
                try await Counter.run(
                    initialState: .init(), proxy: inner, env: {},
                    output: Callback { _ in verdicts.add(await outer.send(.stop)) })
                _ = await last
            })
        #expect(await outer.send(.tick) == .applied)
        #expect(try await result == 2)
        #expect(verdicts.values == [.queued])
    }

    @Test func `two machines that send to each other don't deadlock`() async throws {
        let (first, second) = (Counter.Proxy(), Counter.Proxy())
        let verdicts = Notes<SendVerdict>()
        async let one = Counter.run(
            initialState: .init(), proxy: first, env: {},
            output: Callback { count in
                if count == 1 { verdicts.add(await second.send(.tick)) }
            })
        async let two = Counter.run(
            initialState: .init(), proxy: second, env: {},
            output: Callback { count in
                if count == 1 { verdicts.add(await first.send(.stop)) }
            })
        #expect(await first.send(.tick) == .applied)
        #expect(try await one == 2)
        #expect(verdicts.values == [.queued, .applied])
        await second.send(.stop)
        #expect(try await two == 2)
    }

    @Test func `an action that sends to its own machine doesn't wait for itself`() async throws {
        let proxy = Counter.Proxy()
        let verdicts = Notes<SendVerdict>()
        async let result = Counter.run(
            initialState: .init(), proxy: proxy,
            env: { verdicts.add(await proxy.send(.stop)) })
        #expect(await proxy.send(.act) == .applied)
        #expect(try await result == 2)
        #expect(verdicts.values == [.queued])
    }

    /// Hands its effect's input out, and sends by it in the callback of its second step.
    enum Handing: EffectTransducer {
        struct State: Terminable {
            var count = 0
            var isTerminal = false
        }
        enum Event: Sendable { case begin, tick, stop }
        typealias Env = @Sendable (SyncSuspendingProxy<Event>.Input) -> Void
        typealias Output = Int
        typealias Proxy = SyncSuspendingProxy<Event>

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            state.count += 1
            state.isTerminal = event == .stop
            guard event == .begin else { return (nil, state.count) }
            let effect = Effect(operation: { hand, input in
                hand(input)
                try await Task.sleep(for: .seconds(3_600))
            })
            return (effect, state.count)
        }
    }

    @Test func `a callback that sends by an effect's input doesn't wait for itself`() async throws {
        let proxy = Handing.Proxy()
        let (inputs, verdicts) = (Notes<Handing.Proxy.Input>(), Notes<SendVerdict>())
        async let result = Handing.run(
            initialState: .init(), proxy: proxy, env: { inputs.add($0) },
            output: Callback { count in
                if count == 2 { verdicts.add(await inputs.values[0].send(.stop)) }
            })
        #expect(await proxy.send(.begin) == .applied)
        await until { !inputs.values.isEmpty }
        #expect(await proxy.send(.tick) == .applied)
        #expect(try await result == 3)
        #expect(verdicts.values == [.queued])
    }

    /// `Handing` as a part.
    enum Whole: EffectTransducer {
        typealias State = Handing.State
        enum Event: Sendable { case part(Handing.Event) }
        typealias Env = Handing.Env
        typealias Output = Int
        typealias Proxy = SyncSuspendingProxy<Event>

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            guard case .part(let event) = event else { return (nil, 0) }
            let (effect, count) = Handing.update(&state, event: event)
            return (effect?.embedded(in: Whole.self, event: { .part($0) }, env: { $0 }), count)
        }
    }

    @Test func `nor does one that sends by the input of a part's effect`() async throws {
        let proxy = Whole.Proxy()
        let (inputs, verdicts) = (Notes<Handing.Proxy.Input>(), Notes<SendVerdict>())
        async let result = Whole.run(
            initialState: .init(), proxy: proxy, env: { inputs.add($0) },
            output: Callback { count in
                if count == 2 { verdicts.add(await inputs.values[0].send(.stop)) }
            })
        #expect(await proxy.send(.part(.begin)) == .applied)
        await until { !inputs.values.isEmpty }
        #expect(await proxy.send(.part(.tick)) == .applied)
        #expect(try await result == 3)
        #expect(verdicts.values == [.queued])
    }
}
