import Transducers

/// A pure machine: it counts, refuses events that don't fit, and ends.
enum Counter: Transducer {
    struct State: Terminable {
        var count = 0
        var isTerminal = false
    }
    enum Event { case add(Int), finish }
    enum Output { case count(Int), total(Int) }

    static func update(_ state: inout State, event: Event) throws -> Output {
        switch event {
        case .add(let amount):
            guard amount > 0 else { throw Rejection("there is nothing to add") }
            state.count += amount
            return .count(state.count)
        case .finish:
            state.isTerminal = true
            return .total(state.count)
        }
    }
}

@main struct Program {
    static func main() async throws {
        // A step is a function call.
        var state = Counter.State()
        print("by hand:", try Counter.update(&state, event: .add(2)))

        // One call of `run` is the whole life of a machine. Events may be sent before it.
        let proxy = Counter.Proxy()
        try proxy.send(.add(2))
        try proxy.send(.add(0))
        try proxy.send(.add(3))
        try proxy.send(.finish)
        let result = try await Counter.run(
            initialState: Counter.State(), proxy: proxy,
            output: Callback { output in print("output:", output) })
        print("result:", result)
        print("refused:", proxy.report.refusedCount)
    }
}
