import Testing
import TransducerTesting
import Transducers

/// The examples of the tutorial.
@Suite("Article: Getting started", .timeLimit(.minutes(1)))
struct GettingStartedExamples {
    /// As on the landing page.
    enum Counter: Transducer {
        struct State: NonTerminal { var count = 0 }
        enum Event { case increment, reset }

        static func update(_ state: inout State, event: Event) -> Int {
            state.count = event == .increment ? state.count + 1 : 0
            return state.count
        }
    }

    enum Tally: Transducer, InitialState {
        struct State: Terminable, Codable {
            var count = 0
            var isTerminal = false
        }
        enum Event: Codable { case add(Int), finish }

        static var initialState: State { State() }

        static func update(_ state: inout State, event: Event) throws -> Int {
            switch event {
            case .add(let amount):
                guard amount > 0 else { throw Rejection("there is nothing to add") }
                state.count += amount
            case .finish:
                state.isTerminal = true
            }
            return state.count
        }
    }

    enum EggTimer: EffectTransducer {
        enum State: Terminable, Equatable {
            case idle, boiling, done
            var isTerminal: Bool { self == .done }
        }
        enum Event: Equatable { case start(minutes: Int), stop, timeIsUp }

        static func update(_ state: inout State, event: Event) throws -> Effect? {
            switch (state, event) {
            case (.idle, .start(let minutes)):
                state = .boiling
                return .after(.seconds(60 * minutes), id: "bell", .timeIsUp)
            case (.boiling, .stop):
                state = .idle
                return .cancel(id: "bell")
            case (.boiling, .timeIsUp):
                state = .done
                return nil
            case (.idle, _): throw Rejection("the timer isn't set", accepts: ["start"])
            case (.boiling, _): throw Rejection("the egg is boiling", accepts: ["stop"])
            case (.done, _): return nil
            }
        }
    }

    @Test func `update is a plain function`() throws {
        var state = Tally.initialState
        let output = try Tally.update(&state, event: .add(2))
        #expect(output == 2 && state.count == 2)
        #expect(throws: Rejection("there is nothing to add")) {
            try Tally.update(&state, event: .add(0))
        }
    }

    @Test func `a run returns the last output`() async throws {
        let proxy = Tally.Proxy()
        try proxy.send(.add(2))
        try proxy.send(.add(3))
        try proxy.send(.finish)
        let result = try await Tally.run(initialState: Tally.initialState, proxy: proxy)
        #expect(result == 5)
    }

    @Test func `a machine without an end is cancelled`() async {
        let counter = Counter.Proxy()
        let endless = Task {
            try await Counter.run(initialState: Counter.State(), proxy: counter)
        }
        counter.cancel()
        await #expect(throws: TransducerError.cancelled) { try await endless.value }
    }

    @Test func `outputs come in order`() async throws {
        let listened = Tally.Proxy()
        for event in [Tally.Event.add(2), .add(3), .finish] { try listened.send(event) }
        let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
        try await Tally.run(
            initialState: Tally.initialState, proxy: listened,
            output: Callback { count in continuation.yield(count) })
        continuation.finish()
        #expect(await counts.reduce(into: []) { $0.append($1) } == [2, 5, 5])
    }

    @Test func `the timer fires after three minutes`() async {
        let timer = TestTransducer<EggTimer>(initialState: .idle)
        await timer.send(.start(minutes: 3)) { $0 = .boiling }
        timer.expectEffect(id: "bell")
        await timer.advance(by: .seconds(179))
        await timer.sendRejected(.start(minutes: 5), reason: "the egg is boiling")
        await timer.advance(by: .seconds(1))
        await timer.receive(.timeIsUp) { $0 = .done }
        await timer.finish()
    }

    @Test func `a stopped timer doesn't fire`() async {
        let timer = TestTransducer<EggTimer>(initialState: .idle)
        await timer.send(.start(minutes: 3)) { $0 = .boiling }
        timer.expectEffect(id: "bell")
        await timer.send(.stop) { $0 = .idle }
        await timer.expectCancelled(id: "bell")
        await timer.advance(by: .seconds(600))
        await timer.finish()
    }

    @Test func `a definition has a name and a version`() {
        let tally = Definition(Tally.self, named: "tally", version: "1.0.0")
        #expect(tally.name == "tally" && tally.version == "1.0.0")
    }
}
