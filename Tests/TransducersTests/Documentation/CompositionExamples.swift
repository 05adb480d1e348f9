import Testing
import Transducers

/// The examples of the article on composition.
@Suite("Article: Composition", .timeLimit(.minutes(1)))
struct CompositionExamples {
    enum Countdown: Transducer, InitialState {
        struct State: Terminable, Equatable {
            var left = 2
            var isTerminal: Bool { left == 0 }
        }
        enum Event { case tick }

        static var initialState: State { State() }

        static func update(_ state: inout State, event: Event) -> Int {
            state.left -= 1
            return state.left
        }
    }

    enum Sum: Transducer, InitialState {
        struct State: NonTerminal, Equatable { var total = 0 }
        typealias Event = Int

        static var initialState: State { State() }

        static func update(_ state: inout State, event: Int) -> Int {
            state.total += event
            return state.total
        }
    }

    typealias Both = Parallel<Countdown, Sum, EndsWithFirst>

    enum Launch: SequentialTransducer, InitialState {
        typealias First = Countdown
        typealias Second = Sum

        static func next(_ result: Int, from state: Countdown.State) -> Sum.State {
            Sum.State(total: 100)
        }
    }

    typealias Meter = Piped<Countdown, Sum>

    enum Office: EffectTransducer {
        struct State: NonTerminal, Equatable {
            var sum = Sum.State()
            var countdown: Countdown.State?
        }
        enum Event { case sum(Int), countdown(Countdown.Event), open }

        static let sum = Child(Sum.self, of: Office.self, scope: "sum", state: .at(\.sum)) {
            .sum($0)
        }
        static let countdown = Child(
            Countdown.self, of: Office.self, scope: "countdown", state: .optional(\.countdown)
        ) { .countdown($0) }

        static func update(_ state: inout State, event: Event) throws -> Effect? {
            switch event {
            case .sum(let event): return try sum.step(&state, event).effect
            case .countdown(let event): return try countdown.step(&state, event).effect
            case .open:
                state.countdown = Countdown.State()
                return nil
            }
        }
    }

    enum App: ReducerTransducer {
        struct State: NonTerminal {
            var sum = Sum.State()
            var events = 0
        }
        enum Event { case sum(Int), other }

        static let reducer = Reducer.combine(
            Reducer(Sum.self).scoped(
                to: App.self, state: .at(\.sum), event: CasePath(Event.sum), scope: "sum"),
            Reducer { state, _ in
                state.events += 1
                return .empty
            })
    }

    @Test func `two machines run side by side`() throws {
        let both = SynchronousDriver(of: Both.self, initialState: Both.initialState, env: PairEnv())
        try both.send(.first(.tick))
        try both.send(.second(40))
        #expect(both.state.first.left == 1 && both.state.second.total == 40)
        try both.send(.first(.tick))
        #expect(throws: TransducerError.ended) { try both.send(.second(1)) }
    }

    @Test func `the second begins when the first has ended`() throws {
        let launch = SynchronousDriver(
            of: Launch.self, initialState: Launch.initialState, env: PairEnv())
        #expect(throws: Rejection.self) { try launch.send(.second(1)) }
        for event in [Launch.Event.first(.tick), .first(.tick), .second(1)] {
            try launch.send(event)
        }
        #expect(launch.state == .second(Sum.State(total: 101)))
    }

    @Test func `the first feeds the second`() throws {
        let meter = SynchronousDriver(
            of: Meter.self, initialState: Meter.initialState, env: PairEnv())
        try meter.send(.first(.tick))
        #expect(meter.state.second.total == 1)
    }

    @Test func `a pipe carries outputs over`() async throws {
        let ticks = Countdown.Proxy()
        for _ in 1...3 { try ticks.send(.tick) }
        let sums = Sum.Proxy(bufferSize: 1)
        let receiver = Task { try await Sum.run(initialState: Sum.State(), proxy: sums) }
        let result = try await Countdown.run(
            initialState: Countdown.State(left: 3), proxy: ticks, output: Pipe(to: sums.input))
        #expect(result == 0)
        sums.cancel()
        await #expect(throws: TransducerError.cancelled) { try await receiver.value }
    }

    @Test func `two runs are waited for together`() async throws {
        let (short, long) = (Countdown.Proxy(), Countdown.Proxy())
        for proxy in [short, long] { try proxy.send(.tick) }
        let ends = try await runParallel(.any) {
            try await Countdown.run(initialState: Countdown.State(left: 1), proxy: short)
        } second: {
            try await Countdown.run(initialState: Countdown.State(left: 9), proxy: long)
        }
        #expect(ends.first == 0 && ends.second == nil)
    }

    @Test func `parts appear and apply their events`() throws {
        let office = SynchronousDriver(of: Office.self, initialState: .init())
        try office.send(.sum(3))
        #expect(throws: Rejection.self) { try office.send(.countdown(.tick)) }
        try office.send(.open)
        try office.send(.countdown(.tick))
        #expect(office.state.sum.total == 3 && office.state.countdown?.left == 1)
    }

    @Test func `reducers are combined`() throws {
        let app = SynchronousDriver(of: App.self, initialState: .init())
        try app.send(.sum(3))
        try app.send(.other)
        #expect(app.state.sum.total == 3 && app.state.events == 2)
    }
}
