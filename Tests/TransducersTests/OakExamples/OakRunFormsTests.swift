import Testing
import Transducers

/// Every way in which Oak's users start a machine.
@Suite("Forms of run", .timeLimit(.minutes(1)))
struct OakRunFormsTests {
    /// Counts down from what it is given; tells what is left.
    enum Countdown: Transducer {
        struct State: Terminable {
            var left = 3
            var isTerminal: Bool { left == 0 }
        }
        enum Event { case tick }
        typealias Output = Int
        static func update(_ state: inout State, event: Event) -> Output {
            state.left -= 1
            return state.left
        }
    }

    /// The same with an environment and effects: one tick causes the next.
    enum Chain: EffectTransducer {
        typealias State = Countdown.State
        typealias Event = Countdown.Event
        typealias Output = Int
        struct Env: Sendable { var pause: Duration = .zero }
        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            state.left -= 1
            let next = Effect(id: "next") { env, input in
                try await Task.sleep(for: env.pause)
                try input.send(.tick)
            }
            return (next, state.left)
        }
    }

    /// The same without output and environment.
    enum Silent: EffectTransducer {
        typealias State = Countdown.State
        typealias Event = Countdown.Event
        static func update(_ state: inout State, event: Event) -> Effect? {
            state.left -= 1
            return .event(.tick)
        }
    }

    static func ticking() throws -> Countdown.Proxy {
        let proxy = Countdown.Proxy()
        for _ in 1...3 { try proxy.send(.tick) }
        return proxy
    }

    @Test func `a pure machine: state and proxy`() async throws {
        #expect(try await Countdown.run(initialState: .init(), proxy: Self.ticking()) == 0)
    }

    @Test func `a pure machine: state, proxy and output`() async throws {
        let outputs = Notes<Int>()
        let result = try await Countdown.run(
            initialState: .init(), proxy: Self.ticking(),
            output: Callback { outputs.add($0) })
        #expect(result == 0)
        #expect(outputs.values == [2, 1, 0])
    }

    @Test func `a pure machine: state, proxy, env and output`() async throws {
        let result = try await Countdown.run(
            initialState: .init(), proxy: Self.ticking(), env: Void(),
            output: NoCallback<Int>())
        #expect(result == 0)
    }

    @Test func `a pure machine without a proxy of the caller's`() async throws {
        let run = Task { try await Countdown.run(initialState: .init()) }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `an effect machine: state, proxy and env`() async throws {
        let proxy = Chain.Proxy(initialEvent: .tick)
        let result = try await Chain.run(
            initialState: .init(left: 4), proxy: proxy, env: Chain.Env())
        #expect(result == 0)
    }

    @Test func `an effect machine: state, proxy, env and output`() async throws {
        let outputs = Notes<Int>()
        let result = try await Chain.run(
            initialState: .init(), proxy: .init(initialEvent: .tick), env: .init(),
            output: Callback { outputs.add($0) })
        #expect(result == 0)
        #expect(outputs.values == [2, 1, 0])
    }

    @Test func `an effect machine: state and env alone`() async throws {
        let run = Task { try await Chain.run(initialState: .init(), env: .init()) }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `a machine without output returns nothing`() async throws {
        let result: Void = try await Silent.run(
            initialState: .init(), proxy: .init(initialEvent: .tick), env: Silent.Env())
        #expect(result == ())
    }

    @Test func `a machine without output calls its callback for each step all the same`()
        async throws
    {
        let steps = Notes<Bool>()
        try await Silent.run(
            initialState: .init(), proxy: .init(initialEvent: .tick), env: (),
            output: Callback { _ in steps.add(true) })
        #expect(steps.values.count == 3)
    }

    /// A storage of the caller's own.
    final class Shelf<Value>: Storage {
        var value: Value { didSet { writes += 1 } }
        private(set) var writes = 0
        init(_ value: Value) { self.value = value }
    }

    @MainActor
    @Test func `a storage keeps the state where its owner sees it`() async throws {
        let shelf = Shelf(Countdown.State())
        let seen = Notes<Int>()
        try await Countdown.run(
            storage: shelf, proxy: Self.ticking(),
            output: Callback { @MainActor _ in seen.add(shelf.value.left) })
        #expect(seen.values == [2, 1, 0])
        #expect(shelf.value.isTerminal)
    }

    @MainActor
    @Test func `a storage, with environment and output`() async throws {
        let shelf = Shelf(Chain.State(left: 2))
        let result = try await Chain.run(
            storage: shelf, proxy: .init(initialEvent: .tick), env: .init(),
            output: Callback { _ in })
        #expect(result == 0)
        #expect(shelf.value.left == 0)
        #expect(shelf.writes == 2)
    }

    final class Panel { var countdown = Countdown.State() }

    @MainActor
    @Test func `a property of a host is the state`() async throws {
        let panel = Panel()
        let seen = Notes<Int>()
        try await Countdown.run(
            state: \.countdown, host: panel, proxy: Self.ticking(),
            output: Callback { @MainActor _ in seen.add(panel.countdown.left) })
        #expect(seen.values == [2, 1, 0])
        #expect(panel.countdown.isTerminal)
    }

    @MainActor
    @Test func `a property of a host is an effect machine's state, too`() async throws {
        let panel = Panel()
        try await Chain.run(
            state: \.countdown, host: panel, proxy: .init(initialEvent: .tick), env: .init())
        #expect(panel.countdown.isTerminal)
    }

    @MainActor
    @Test func `a key path storage is a property of a host, too`() async throws {
        let panel = Panel()
        let storage = ReferenceKeyPathStorage(host: panel, keyPath: \.countdown)
        try await Countdown.run(storage: storage, proxy: Self.ticking())
        #expect(panel.countdown.isTerminal)
    }

    /// A receiver of outputs of the caller's own.
    struct Printer: Subject {
        let lines: Notes<String>
        func send(
            _ value: sending Int, isolated: isolated any Actor = #isolation
        ) async throws {
            isolated.assertIsolated()
            lines.add("\(value)")
        }
    }

    @MainActor
    @Test func `outputs may go to a subject of the caller's own`() async throws {
        let lines = Notes<String>()
        try await Countdown.run(
            initialState: .init(), proxy: Self.ticking(), output: Printer(lines: lines))
        #expect(lines.values == ["2", "1", "0"])
    }

    @MainActor
    @Test func `the actor may be named`() async throws {
        let result = try await Countdown.run(
            initialState: .init(left: 1), proxy: .init(initialEvent: .tick),
            output: NoCallback(), systemActor: MainActor.shared)
        #expect(result == 0)
    }

    @Workshop
    @Test func `a machine runs from a global actor`() async throws {
        #expect(try await Countdown.run(initialState: .init(), proxy: Self.ticking()) == 0)
    }

    @Test func `a machine runs from an actor instance`() async throws {
        actor Room {
            var outputs: [Int] = []
            func play() async throws -> Int {
                try await Countdown.run(
                    initialState: .init(), proxy: OakRunFormsTests.ticking(),
                    output: Callback { [weak self] in await self?.note($0) })
            }
            func note(_ output: Int) { outputs.append(output) }
        }
        let room = Room()
        #expect(try await room.play() == 0)
        #expect(await room.outputs == [2, 1, 0])
    }

    nonisolated static func playSomewhere() async throws -> Int {
        try await Countdown.run(initialState: .init(), proxy: ticking())
    }

    @concurrent
    nonisolated static func playElsewhere() async throws -> Int {
        try await Countdown.run(initialState: .init(), proxy: ticking())
    }

    @Test func `a machine runs from a function without an actor`() async throws {
        #expect(try await Self.playSomewhere() == 0)
        #expect(try await Self.playElsewhere() == 0)
    }
}
