import Testing
import Transducers

/// The first machine of Oak's introduction: a pure counter.
@Suite("A counter", .timeLimit(.minutes(1)))
struct OakCounterTests {
    enum Clicker: Transducer {
        struct State: NonTerminal, Equatable {
            var clicks = 0
        }
        static var initialState: State { State() }
        enum Event { case up, down }
        enum Output: Equatable, Sendable {
            case none
            case value(Int)
        }
        static func update(_ state: inout State, event: Event) -> Output {
            switch event {
            case .up:
                state.clicks += 1
                return .value(state.clicks)
            case .down where state.clicks == 0:
                return .none
            case .down:
                state.clicks -= 1
                return .value(state.clicks)
            }
        }
    }

    @Test func `update is a function that can be tested by itself`() {
        var state = Clicker.initialState
        #expect(Clicker.update(&state, event: .up) == .value(1))
        #expect(Clicker.update(&state, event: .down) == .value(0))
        #expect(Clicker.update(&state, event: .down) == .none)
        #expect(state == Clicker.State(clicks: 0))
    }

    @MainActor
    @Test func `it counts what is sent while it runs`() async throws {
        let proxy = Clicker.Proxy()
        let outputs = Notes<Clicker.Output>()
        let task = Task {
            try await Clicker.run(
                initialState: Clicker.initialState, proxy: proxy,
                output: Callback { outputs.add($0) })
        }
        try proxy.send(.up)
        try proxy.send(.up)
        try proxy.input.send(.down)
        await until { outputs.values.count == 3 }
        #expect(outputs.values == [.value(1), .value(2), .value(1)])
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await task.value }
    }

    /// The counter that ends above ten: a state that knows when it is final.
    enum Limited: Transducer {
        struct State: Terminable {
            var value = 0
            var isTerminal: Bool { value > 10 }
        }
        enum Event { case add(Int) }
        static func update(_ state: inout State, event: Event) -> Int {
            guard case .add(let amount) = event else { return state.value }
            state.value += amount
            return state.value
        }
    }

    @Test func `it ends by its state, with the last output as its result`() async throws {
        let proxy = Limited.Proxy()
        for amount in [4, 6, 5, 100] { try proxy.send(.add(amount)) }
        let outputs = Notes<Int>()
        let result = try await Limited.run(
            initialState: .init(), proxy: proxy, output: Callback { outputs.add($0) })
        #expect(result == 15)
        #expect(outputs.values == [4, 10, 15])
    }
}
