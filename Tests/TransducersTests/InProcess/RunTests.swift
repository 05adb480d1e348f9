import Testing
import Transducers

/// A counter that ends at `finish`, and tells its count.
enum Tally: Transducer {
    enum State: Terminable, Equatable {
        case counting(Int)
        case finished(Int)

        var isTerminal: Bool { if case .finished = self { true } else { false } }
    }
    enum Event: Sendable { case increment, finish, refuse, fail }
    struct Broken: Error {}

    static func update(_ state: inout State, event: Event) throws -> Int {
        guard case .counting(let count) = state else { return -1 }
        switch event {
        case .increment:
            state = .counting(count + 1)
            return count + 1
        case .finish:
            state = .finished(count)
            return count
        case .refuse:
            state = .counting(1_000)
            throw Rejection("not now", accepts: ["increment", "finish"])
        case .fail:
            throw Broken()
        }
    }
}

/// Outputs in the order in which they came.
actor Recorder<Value: Sendable> {
    private(set) var values: [Value] = []
    func append(_ value: Value) { values.append(value) }
}

@Suite("run")
struct RunTests {
    @Test func `outputs 1,2,3,final in order, result is the final output`() async throws {
        let proxy = Tally.Proxy()
        for _ in 1...3 { try proxy.send(.increment) }
        try proxy.send(.finish)
        let outputs = Recorder<Int>()
        let result = try await Tally.run(
            initialState: .counting(0), proxy: proxy,
            output: Callback { await outputs.append($0) })
        #expect(await outputs.values == [1, 2, 3, 3])
        #expect(result == 3)
    }

    @Test func `events queued before start run in send order`() async throws {
        enum Log: Transducer {
            struct State: Terminable {
                var seen: [Int] = []
                var isTerminal: Bool { seen.count == 8 }
            }
            typealias Event = Int
            static func update(_ state: inout State, event: Int) -> [Int] {
                state.seen.append(event)
                return state.seen
            }
        }
        let proxy = Log.Proxy()
        for number in 1...8 { try proxy.send(number) }
        #expect(
            try await Log.run(initialState: Log.State(), proxy: proxy)
                == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test func `a full inbox refuses the newest and keeps the queued`() async throws {
        let proxy = Tally.Proxy(bufferSize: 2)
        try proxy.send(.increment)
        try proxy.send(.finish)
        #expect(throws: TransducerError.bufferFull(capacity: 2)) {
            try proxy.send(.increment)
        }
        #expect(try await Tally.run(initialState: .counting(0), proxy: proxy) == 1)
    }

    @Test func `sending after the end is an error that says what to do`() async throws {
        let proxy = Tally.Proxy(initialEvent: .finish)
        try await Tally.run(initialState: .counting(0), proxy: proxy)
        let error = #expect(throws: TransducerError.self) { try proxy.send(.increment) }
        #expect(error == .ended)
        #expect(error?.description.contains("run it anew with a new proxy") == true)
    }

    @Test func `a proxy runs one machine once`() async throws {
        let proxy = Tally.Proxy(initialEvent: .finish)
        try await Tally.run(initialState: .counting(0), proxy: proxy)
        await #expect(throws: TransducerError.proxyAlreadyInUse) {
            try await Tally.run(initialState: .counting(0), proxy: proxy)
        }
    }

    @Test func `a refused event leaves the state, and the machine continues`()
        async throws
    {
        let proxy = Tally.Proxy()
        try proxy.send(.increment)
        try proxy.send(.refuse)
        try proxy.send(.fail)
        try proxy.send(.increment)
        try proxy.send(.finish)
        #expect(try await Tally.run(initialState: .counting(0), proxy: proxy) == 2)
        #expect(proxy.report.refusedCount == 2)
    }

    @Test func `a terminal initial state ends at once`() async throws {
        await #expect(throws: TransducerError.noOutputProduced) {
            try await Tally.run(initialState: .finished(1))
        }
    }

    @Test func `cancel ends the run and answers waiting events`() async throws {
        let proxy = Tally.Proxy()
        let run = Task { try await Tally.run(initialState: .counting(0), proxy: proxy) }
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await run.value }
        #expect(throws: TransducerError.ended) { try proxy.send(.increment) }
    }

    @Test func `cancelling the task ends the run`() async throws {
        let proxy = Tally.Proxy()
        let run = Task { try await Tally.run(initialState: .counting(0), proxy: proxy) }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }
}
