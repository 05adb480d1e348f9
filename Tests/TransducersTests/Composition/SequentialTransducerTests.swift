import Testing
import Transducers

@Suite("SequentialTransducer")
struct SequentialTransducerTests {
    /// Counts to three, then once more up to as many more.
    enum Twice: SequentialTransducer, InitialState {
        typealias First = Parts.Count
        typealias Second = Parts.Count

        static func next(_ result: Int, from state: Parts.Count.State) throws -> Second.State {
            guard result < 100 else { throw Rejection("too far") }
            return Second.State(count: result, limit: result + state.limit)
        }
    }

    /// Counts, then minds a door.
    enum Porter: SequentialTransducer, InitialState {
        typealias First = Parts.Count
        typealias Second = Parts.Door

        static func next(_ result: Int, from _: Parts.Count.State) -> Parts.Door.State {
            switch result {
            case 3: .open
            case 4: .removed
            default: .broken
            }
        }
    }

    enum Workers: SequentialTransducer, InitialState {
        typealias First = Parts.Worker
        typealias Second = Parts.Worker

        static func next(_ result: String, from state: Parts.Worker.State) -> Second.State {
            Second.State(log: state.log.filter { $0 != "stop" })
        }
    }

    @Test func `the result of the first makes the state of the second`() throws {
        var state = Twice.initialState
        #expect(try Twice.step(&state, .first(.add(2))).1 == .first(2))
        #expect(state == .first(Parts.Count.State(count: 2, limit: 3)))
        #expect(try Twice.step(&state, .first(.add(2))).1 == .first(4))
        #expect(state == .second(Parts.Count.State(count: 4, limit: 7)))
        #expect(!state.isTerminal)
        #expect(try Twice.step(&state, .second(.add(3))).1 == .second(7))
        #expect(state.isTerminal)
    }

    @Test func `events for the machine that isn't there are refused`() throws {
        var state = Twice.initialState
        #expect(throws: Rejection("the second machine hasn't begun yet", accepts: ["first"])) {
            try Twice.step(&state, .second(.add(1)))
        }
        _ = try Twice.step(&state, .first(.add(3)))
        #expect(
            throws: Rejection(
                "the first machine has ended and takes no more events", accepts: ["second"])
        ) { try Twice.step(&state, .first(.add(1))) }
    }

    @Test func `a handover that is refused leaves the first as it was`() async throws {
        let proxy = Twice.Proxy()
        try proxy.send(.first(.add(100)))
        try proxy.send(.first(.add(3)))
        try proxy.send(.second(.add(3)))
        #expect(try await Twice.run(initialState: Twice.initialState, proxy: proxy) == .second(6))
        #expect(proxy.report.refusedCount == 1)
    }

    @Test func `the initial output of the second comes with the result of the first`() throws {
        var state = Porter.initialState
        #expect(Porter.initialOutput(initialState: state) == nil)
        let output = try Porter.step(&state, .first(.add(3))).1
        #expect(output == .handover(first: 3, second: "is open"))
        #expect(Porter.initialOutput(initialState: .second(.shut)) == .second("is shut"))
    }

    @Test func `a second machine that begins at its end ends the sequence`() throws {
        var state = Porter.initialState
        _ = try Porter.step(&state, .first(.add(4)))
        #expect(state.isTerminal)
        #expect(!state.isFailure)
        state = Porter.initialState
        _ = try Porter.step(&state, .first(.add(5)))
        #expect(state.isFailure)
    }

    @Test func `a sequence whose first machine has ended before it began has ended`() {
        let state = Twice.State.first(Parts.Count.State(count: 3, limit: 3))
        #expect(state.isTerminal)
        #expect(!state.isFailure)
    }

    @Test func `effects of the first end with it, and don't meet those of the second`()
        async throws
    {
        let proxy = Workers.Proxy()
        try proxy.send(.first(.begin("job")))
        try proxy.send(.first(.note("kept")))
        try proxy.send(.first(.stop))
        let log = Parts.Log<Workers>()
        log.onLine = { line in
            guard line == "- first (ended)/last" else { return }
            #expect(throws: Never.self) {
                try proxy.send(.second(.begin("job")))
                try proxy.send(.second(.fail("heard")))
            }
        }
        let storage = Parts.Kept(Workers.initialState)
        let outputs = Parts.Outputs<Workers.Output>()
        let run = try await Workers.run(
            storage: storage, proxy: proxy, env: PairEnv(),
            output: Callback { output in
                await outputs.append(output)
                if output == .second("heard of it") { try proxy.send(.second(.stop)) }
            }, options: log.options)
        #expect(run == .second("stop"))
        #expect(storage.value == .second(Parts.Worker.State(log: ["kept", "heard of it", "stop"])))
        #expect(
            log.lines.filter { !$0.contains("heard") } == [
                "+ first/job", "x first/job", "+ first (ended)/last", "- first (ended)/last",
                "+ second/job", "x second/job", "+ second/last",
                "- second/last",
            ])
    }

    @Test func `a sequence is hosted as one instance`() throws {
        var twice = try Parts.Hosted(Definition(Twice.self, named: "twice", version: "1.0.0"))
        #expect(
            try twice.initial().state == #"{"type":"first","value":{"count":0,"limit":3}}"#)
        let step = try twice.apply(#"{"type":"first","value":{"type":"add","value":3}}"#)
        #expect(step.state == #"{"type":"second","value":{"count":3,"limit":6}}"#)
        #expect(step.outputs == [#"{"type":"first","value":3}"#])
        #expect(twice.definition.stateHasNames)
        #expect(
            throws: StepFailure.rejected(
                Rejection(
                    "the first machine has ended and takes no more events",
                    accepts: ["second"]))
        ) { try twice.apply(#"{"type":"first","value":{"type":"add","value":1}}"#) }
        _ = try twice.apply(#"{"type":"second","value":{"type":"add","value":3}}"#)
        #expect(twice.instance.isTerminal)
    }

    @Test func `an output is silent where the machine's is`() {
        #expect(Porter.Output.second(nil).isSilent)
        #expect(!Porter.Output.first(1).isSilent)
        #expect(!Porter.Output.handover(first: 1, second: nil).isSilent)
        #expect(SequentialOutput<Void, Int?>.handover(first: (), second: nil).isSilent)
    }
}
