import Testing
import Transducers

@Suite("ParallelTransducer")
struct ParallelTransducerTests {
    typealias Either = Parallel<Parts.Count, Parts.Door, EndsWithAny>
    typealias Both = Parallel<Parts.Count, Parts.Door, EndsWithAll>
    typealias Workers = Parallel<Parts.Worker, Parts.Worker, EndsWithAll>

    /// A product in its long form, which keeps failures.
    enum Patient: ParallelTransducer, InitialState {
        typealias First = Parts.Worker
        typealias Second = Parts.Worker
        enum Rule: ParallelRule {
            static var termination: ParallelTermination { .all }
            static var sideFailure: SideFailurePolicy { .isKept }
        }
    }

    @Test func `each side changes its own part of the state`() throws {
        var state = Both.initialState
        #expect(try Both.step(&state, .first(.add(2))).1 == .first(2))
        #expect(try Both.step(&state, .second(.open)).1 == .second("is open"))
        #expect(state.first.count == 2)
        #expect(state.second == .open)
        #expect(!state.isTerminal)
    }

    @Test func `a product machine with rule any is terminal exactly when a side is`() throws {
        var state = Either.initialState
        _ = try Either.step(&state, .first(.add(2)))
        #expect(!state.isTerminal)
        _ = try Either.step(&state, .first(.add(1)))
        #expect(state.isTerminal)
        state = Either.initialState
        _ = try Either.step(&state, .second(.remove))
        #expect(state.isTerminal)
    }

    @Test func `a product machine with rule all is terminal exactly when both sides are`() throws {
        var state = Both.initialState
        _ = try Both.step(&state, .second(.remove))
        #expect(!state.isTerminal)
        _ = try Both.step(&state, .first(.add(3)))
        #expect(state.isTerminal)
    }

    @Test func `with all, an event for a side that has ended is refused`() throws {
        var state = Both.initialState
        _ = try Both.step(&state, .second(.remove))
        #expect(
            throws: Rejection(
                "the second machine has ended and takes no more events", accepts: ["first"])
        ) { try Both.step(&state, .second(.open)) }
        state = Both.initialState
        _ = try Both.step(&state, .first(.add(3)))
        #expect(
            throws: Rejection(
                "the first machine has ended and takes no more events", accepts: ["second"])
        ) { try Both.step(&state, .first(.add(1))) }
    }

    @Test func `the error of a side is thrown`() {
        var state = Both.initialState
        #expect(throws: Rejection("counts up only", accepts: ["add"])) {
            try Both.step(&state, .first(.add(-1)))
        }
        #expect(throws: Parts.Count.Broken.self) { try Both.step(&state, .first(.fail)) }
    }

    @Test func `a refused event leaves both sides as they were, and fails neither`() async throws {
        let proxy = Both.Proxy()
        try proxy.send(.first(.add(-1)))
        try proxy.send(.first(.fail))
        try proxy.send(.second(.remove))
        try proxy.send(.first(.add(3)))
        #expect(try await Both.run(initialState: Both.initialState, proxy: proxy) == .first(3))
        #expect(proxy.report.refusedCount == 2)
    }

    @Test func `the run with rule any ends with the first side that ends`() async throws {
        let proxy = Either.Proxy()
        try proxy.send(.second(.remove))
        try proxy.send(.first(.add(1)))
        let result = try await Either.run(initialState: Either.initialState, proxy: proxy)
        #expect(result == .second("is removed"))
        #expect(proxy.report.unappliedCount == 1)
    }

    @Test func `initial outputs are those of the sides`() {
        typealias Doors = Parallel<Parts.Door, Parts.Door, EndsWithAny>
        typealias Turned = Parallel<Parts.Door, Parts.Count, EndsWithAny>
        typealias Counts = Parallel<Parts.Count, Parts.Count, EndsWithAny>
        #expect(
            Doors.initialOutput(initialState: Doors.initialState)
                == .both(first: "is shut", second: "is shut"))
        #expect(Both.initialOutput(initialState: Both.initialState) == .second("is shut"))
        #expect(Turned.initialOutput(initialState: Turned.initialState) == .first("is shut"))
        #expect(Counts.initialOutput(initialState: Counts.initialState) == nil)
    }

    // MARK: Failure

    @Test(arguments: [Parts.Worker.Event.fail("job"), .failUnnamed])
    func `if one side fails, the other is stopped`(event: Parts.Worker.Event) async throws {
        let proxy = Workers.Proxy()
        try proxy.send(.second(.begin("other")))
        try proxy.send(.first(event))
        let log = Parts.Log<Workers>()
        let result = try await Workers.run(
            initialState: Workers.initialState, proxy: proxy, options: log.options)
        let effect: String? = if case .fail(let id) = event { id } else { nil }
        #expect(result == .failed(SideFailure(side: .first, effect: effect, reason: "Oops()")))
        #expect(log.lines.contains("x second/other"))
        #expect(throws: TransducerError.ended) { try proxy.send(.second(.note("more"))) }
    }

    @Test func `the second side's failure stops the first`() async throws {
        let proxy = Workers.Proxy()
        try proxy.send(.first(.begin("other")))
        try proxy.send(.second(.fail("job")))
        let log = Parts.Log<Workers>()
        let result = try await Workers.run(
            initialState: Workers.initialState, proxy: proxy, options: log.options)
        #expect(result == .failed(SideFailure(side: .second, effect: "job", reason: "Oops()")))
        #expect(log.lines.contains("x first/other"))
    }

    @Test func `a failure that a side has an event for doesn't end the product`() async throws {
        let proxy = Workers.Proxy()
        try proxy.send(.first(.fail("heard")))
        let log = Parts.Log<Workers>()
        log.onLine = { line in
            guard line == "! first/heard" else { return }
            #expect(throws: Never.self) {
                try proxy.send(.first(.stop))
                try proxy.send(.second(.stop))
            }
        }
        let outputs = Parts.Outputs<Workers.Output>()
        let result = try await Workers.run(
            initialState: Workers.initialState, proxy: proxy,
            output: Callback { await outputs.append($0) }, options: log.options)
        #expect(result == .second("stop"))
        #expect(await outputs.values.contains(.first("heard of it")))
    }

    @Test func `a side that ends in failure stops the other, also with rule all`() async throws {
        let proxy = Both.Proxy()
        try proxy.send(.second(.smash))
        let state = Both.initialState
        #expect(try await Both.run(initialState: state, proxy: proxy) == .second("is broken"))
    }

    @Test func `a rule may keep failures, and then the other side continues`() async throws {
        let proxy = Patient.Proxy()
        try proxy.send(.first(.fail("job")))
        let log = Parts.Log<Patient>()
        log.onLine = { line in
            guard line == "! first/job" else { return }
            #expect(throws: Never.self) {
                try proxy.send(.failed(SideFailure(side: .first, reason: "says somebody")))
                try proxy.send(.first(.stop))
                try proxy.send(.second(.stop))
            }
        }
        let result = try await Patient.run(
            initialState: Patient.initialState, proxy: proxy, options: log.options)
        #expect(result == .second("stop"))
        #expect(proxy.report.effectFailures.map { "\($0)" } == ["effect first/job failed: Oops()"])
        #expect(log.lines.contains("refused: the failure of a side doesn't end this product"))
    }

    @Test func `a product in a product fails as a side of it`() async throws {
        typealias Nest = Parallel<Workers, Parts.Count, EndsWithAll>
        let proxy = Nest.Proxy()
        try proxy.send(.first(.second(.fail("job"))))
        let result = try await Nest.run(
            initialState: Nest.initialState, proxy: proxy,
            env: PairEnv(first: PairEnv(), second: ()))
        #expect(
            result
                == .first(.failed(SideFailure(side: .second, effect: "job", reason: "Oops()"))))
    }
}

extension Parts {
    /// Outputs in the order in which they came.
    actor Outputs<Value: Sendable> {
        private(set) var values: [Value] = []
        func append(_ value: Value) { values.append(value) }
    }
}
