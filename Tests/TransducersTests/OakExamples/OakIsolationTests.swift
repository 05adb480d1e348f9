import Testing
import Transducers

/// The isolation of a machine's parts, and types that need not be sendable because of it.
@Suite("Isolation and sendability", .timeLimit(.minutes(1)))
struct OakIsolationTests {
    /// A payload that is no business of a second actor's.
    final class Parcel {
        var weight: Int
        init(_ weight: Int) { self.weight = weight }
    }

    @Workshop
    @Test func `update, output and isolated effects run on the caller's actor`() async throws {
        enum T: EffectTransducer {
            enum State: Terminable {
                case start, waiting, finished
                var isTerminal: Bool { self == .finished }
            }
            enum Event { case start, ready, finish }
            typealias Output = Int
            static func update(_ state: inout State, event: Event) -> (Self.Effect?, Output) {
                Workshop.shared.preconditionIsolated()
                switch event {
                case .start:
                    state = .waiting
                    return (
                        Effect(isolatedAction: { _, isolated in
                            Workshop.shared.assertIsolated()
                            #expect(isolated === Workshop.shared)
                            return .ready
                        }), 1
                    )
                case .ready:
                    return (
                        Effect(isolatedOperation: { _, input, isolated in
                            Workshop.shared.assertIsolated()
                            await Task.yield()
                            Workshop.shared.assertIsolated()
                            #expect(isolated === Workshop.shared)
                            try input.send(.finish)
                        }), 2
                    )
                case .finish:
                    state = .finished
                    return (nil, 3)
                }
            }
        }
        var outputs: [Int] = []
        let result = try await T.run(
            initialState: .start, proxy: T.Proxy(initialEvent: .start), env: T.Env(),
            output: Callback { @Workshop output in
                Workshop.shared.preconditionIsolated()
                outputs.append(output)
            })
        #expect(result == 3)
        #expect(outputs == [1, 2, 3])
    }

    @Workshop
    @Test func `a closure with an actor of its own runs there`() async throws {
        enum T: EffectTransducer {
            @MainActor final class Env { var calls = 0 }
            enum State: Terminable {
                case start, finished
                var isTerminal: Bool { self == .finished }
            }
            enum Event { case start, parcel(Parcel), second, finish }
            static func update(_ state: inout State, event: Event) -> T.Effect? {
                switch event {
                case .start:
                    return T.Effect(action: { @MainActor env in
                        MainActor.shared.preconditionIsolated()
                        env.calls += 1
                        return [.parcel(Parcel(1))]
                    })
                case .parcel(let parcel):
                    parcel.weight += 1
                    return T.Effect(
                        id: parcel.weight,
                        operation: { @MainActor env, input in
                            MainActor.shared.preconditionIsolated()
                            env.calls += 1
                            try input.send(.second)
                        })
                case .second:
                    return T.Effect(
                        operation: { @MainActor env, input in
                            MainActor.shared.preconditionIsolated()
                            env.calls += 1
                            try input.send(.finish)
                        }, after: .milliseconds(1))
                case .finish:
                    state = .finished
                    return nil
                }
            }
        }
        let env = T.Env()
        try await T.run(initialState: .start, proxy: T.Proxy(initialEvent: .start), env: env)
        #expect(await env.calls == 3)
    }

    @MainActor
    @Test func `an environment that isn't sendable serves isolated effects`() async throws {
        enum T: EffectTransducer {
            final class Env { var log: [String] = [] }
            enum State: Terminable {
                case start, acted, operated, finished
                var isTerminal: Bool { self == .finished }
            }
            enum Event { case start, parcel(Parcel), finish }
            static func update(_ state: inout State, event: Event) -> T.Effect? {
                switch event {
                case .start:
                    state = .acted
                    return T.Effect(isolatedAction: { env, isolated in
                        env.log.append("action")
                        return [.parcel(Parcel(5))]
                    })
                case .parcel(let parcel):
                    parcel.weight = 6
                    if case .acted = state {
                        state = .operated
                        return T.Effect(
                            id: 1,
                            isolatedOperation: { env, input, isolated in
                                isolated.assertIsolated()
                                env.log.append("operation")
                                try await Task.sleep(for: .zero)
                                try input.send(.parcel(Parcel(env.log.count)))
                            })
                    }
                    return T.Effect(
                        isolatedOperation: { env, input, isolated in
                            isolated.preconditionIsolated()
                            env.log.append("later")
                            try input.send(.finish)
                        }, after: .milliseconds(1))
                case .finish:
                    state = .finished
                    return nil
                }
            }
        }
        let env = T.Env()
        let proxy = T.Proxy()
        try proxy.input.send(.start)
        try await T.run(initialState: .start, proxy: proxy, env: env)
        #expect(env.log == ["action", "operation", "later"])
    }

    @MainActor
    @Test func `an environment may be changed by its owner while the machine runs`()
        async throws
    {
        enum T: EffectTransducer {
            final class Env { var isOpen = true }
            enum State: Terminable {
                case asking(Int), closed
                var isTerminal: Bool { if case .closed = self { true } else { false } }
            }
            enum Event { case ask, answer(Bool) }
            static func update(_ state: inout State, event: Event) -> Effect? {
                if case .answer(false) = event {
                    state = .closed
                    return nil
                }
                return Effect { env, isolated in
                    await Task.yield()
                    return .answer(env.isOpen)
                }
            }
        }
        let env = T.Env()
        let close = Task { env.isOpen = false }
        try await T.run(
            initialState: .asking(0), proxy: .init(initialEvent: .ask), env: env)
        await close.value
        #expect(!env.isOpen)
    }

    @MainActor
    @Test func `an event with a payload that isn't sendable is handed over`() async throws {
        enum T: EffectTransducer {
            enum State: Terminable {
                case empty, full(Parcel)
                var isTerminal: Bool { if case .full = self { true } else { false } }
            }
            enum Event { case start, parcel(Parcel) }
            static func update(_ state: inout State, event: Event) -> Effect? {
                switch event {
                case .start:
                    return .event(.parcel(Parcel(3)))
                case .parcel(let parcel):
                    state = .full(parcel)
                    return nil
                }
            }
        }
        final class Depot { var state = T.State.empty }
        let direct = Depot()
        let proxy = T.Proxy()
        try proxy.send(.parcel(Parcel(7)))
        try await T.run(state: \.state, host: direct, proxy: proxy, env: ())
        guard case .full(let parcel) = direct.state else { return #expect(Bool(false)) }
        #expect(parcel.weight == 7)

        let immediate = Depot()
        try await T.run(
            state: \.state, host: immediate, proxy: .init(initialEvent: .start), env: ())
        guard case .full(let parcel) = immediate.state else { return #expect(Bool(false)) }
        #expect(parcel.weight == 3)
    }

    /// A machine whose outputs aren't sendable.
    enum Packing: Transducer {
        struct State: Terminable {
            var parcel = Parcel(0)
            var isTerminal: Bool { parcel.weight < 0 }
        }
        enum Event { case pack(Int) }
        static func update(_ state: inout State, event: Event) -> Parcel {
            guard case .pack(let weight) = event else { return state.parcel }
            state.parcel = Parcel(weight)
            return state.parcel
        }
    }

    static func packing() throws -> Packing.Proxy {
        let proxy = Packing.Proxy()
        for weight in [4, 5, -1] { try proxy.send(.pack(weight)) }
        return proxy
    }

    @Workshop
    @Test func `an output that isn't sendable goes to a callback on the same actor`()
        async throws
    {
        var weights: [Int] = []
        let result = try await Packing.run(
            initialState: .init(), proxy: Self.packing(),
            output: Callback { @Workshop parcel in
                Workshop.shared.preconditionIsolated()
                weights.append(parcel.weight)
            })
        #expect(result.weight == -1)
        #expect(weights == [4, 5, -1])
    }

    @Workshop
    @Test func `an output that isn't sendable doesn't go to another actor`() async throws {
        let error = await #expect(throws: TransducerError.self) {
            try await Packing.run(
                initialState: .init(), proxy: Self.packing(),
                output: Callback { @MainActor parcel in Issue.record("left: \(parcel.weight)") })
        }
        #expect(error == .outputLeavesActor)
    }

    @Workshop
    @Test func `an output that isn't sendable doesn't go to a callback without an actor`()
        async throws
    {
        let error = await #expect(throws: TransducerError.self) {
            try await Packing.run(
                initialState: .init(), proxy: Self.packing(),
                output: Callback { parcel in Issue.record("left: \(parcel.weight)") })
        }
        #expect(error == .outputLeavesActor)
        #expect(error?.description.contains("annotate the callback's closure") == true)
    }

    @Test func `the output of a run without an actor of its own comes back`() async throws {
        let parcel = try await Packing.run(initialState: .init(), proxy: Self.packing())
        #expect(parcel.weight == -1)
    }

    @Workshop
    @Test func `a callback can be called by hand`() async throws {
        let notes = Notes<Int>()
        let callback = Callback<Int> { notes.add($0) }
        try await callback.send(8)
        await NoCallback<Int>().send(9)
        #expect(notes.values == [8])
    }
}
