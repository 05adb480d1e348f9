import Testing
import Transducers

@Suite("PairTransducer")
struct PairTransducerTests {
    typealias Workers = Parallel<Parts.Worker, Parts.Worker, EndsWithAll>

    @Test func `effects of the sides with the same id don't meet`() async throws {
        let proxy = Workers.Proxy()
        try proxy.send(.first(.begin("job")))
        try proxy.send(.second(.begin("job")))
        try proxy.send(.second(.cancel("job")))
        try proxy.send(.first(.begin("job")))
        try proxy.send(.failed(SideFailure(side: .first, reason: "enough")))
        let log = Parts.Log<Workers>()
        _ = try await Workers.run(
            initialState: Workers.initialState, proxy: proxy, options: log.options)
        #expect(
            log.lines == [
                "+ first/job", "+ second/job", "x second/job", "x first/job", "+ first/job",
                "x first/job",
            ])
    }

    @Test func `when one side ends, its effects end and the other's continue`() async throws {
        let proxy = Workers.Proxy()
        try proxy.send(.first(.begin("a")))
        try proxy.send(.second(.begin("b")))
        try proxy.send(.first(.stop))
        let log = Parts.Log<Workers>()
        log.onLine = { line in
            guard line.hasSuffix("/last"), line.hasPrefix("- first") else { return }
            #expect(throws: Never.self) { try proxy.send(.second(.stop)) }
        }
        let storage = Parts.Kept(Workers.initialState)
        let result = try await Workers.run(
            storage: storage, proxy: proxy, env: PairEnv(), options: log.options)
        #expect(result == .second("stop"))
        // The effect of the last step ran, and neither its event nor the immediate one counted.
        #expect(storage.value.first.log == ["stop"])
        #expect(
            log.lines == [
                "+ first/a", "+ second/b", "x first/a", "+ first (ended)/last",
                "- first (ended)/last", "x second/b", "+ second (ended)/last",
                "- second (ended)/last",
            ])
    }

    @Test func `immediate events of a side are applied in its own order`() async throws {
        let proxy = Workers.Proxy(initialEvent: .first(.notes(["a", "b", "c"])))
        try proxy.send(.first(.stop))
        try proxy.send(.second(.stop))
        let storage = Parts.Kept(Workers.initialState)
        _ = try await Workers.run(storage: storage, proxy: proxy, env: PairEnv())
        #expect(storage.value.first.log == ["a", "b", "c", "stop"])
        #expect(storage.value.second.log == ["stop"])
    }

    @Test func `an immediate event after the one that ended a side has the step refused`()
        async throws
    {
        let proxy = Workers.Proxy(initialEvent: .first(.notes(["a", "stop", "b"])))
        try proxy.send(.failed(SideFailure(side: .first, reason: "enough")))
        let log = Parts.Log<Workers>()
        let storage = Parts.Kept(Workers.initialState)
        _ = try await Workers.run(
            storage: storage, proxy: proxy, env: PairEnv(), options: log.options)
        #expect(log.lines == ["refused: the first machine has ended and takes no more events"])
        #expect(storage.value.first.log == [])
    }

    @Test func `an input of a side sends to that side alone`() async throws {
        let proxy = Workers.Proxy()
        let first = Workers.firstInput(of: proxy)
        let second = Workers.secondInput(of: proxy)
        try first.send(.note("for the first"))
        try await second.enqueue(.note("for the second"))
        try first.send(.stop)
        try second.send(.stop)
        let storage = Parts.Kept(Workers.initialState)
        _ = try await Workers.run(storage: storage, proxy: proxy, env: PairEnv())
        #expect(storage.value.first.log == ["for the first", "stop"])
        #expect(storage.value.second.log == ["for the second", "stop"])
        #expect(throws: TransducerError.ended) { try first.send(.stop) }
    }

    @Test func `machines whose states and events aren't sendable run together too`() async throws {
        final class Box {
            var number: Int
            init(_ number: Int) { self.number = number }
        }
        enum Loose: Transducer {
            struct State: Terminable {
                var boxes: [Box] = []
                var isTerminal: Bool { boxes.count == 2 }
            }
            typealias Event = Box
            static func update(_ state: inout State, event: Box) -> Int {
                state.boxes.append(event)
                return event.number
            }
        }
        typealias Two = Parallel<Loose, Loose, EndsWithAll>
        let proxy = Two.Proxy()
        for number in 1...2 {
            try proxy.send(.first(Box(number)))
            try proxy.send(.second(Box(-number)))
        }
        let state = Two.State(first: Loose.State(), second: Loose.State())
        #expect(try await Two.run(initialState: state, proxy: proxy) == .second(-2))
    }
}

extension Parts {
    /// A state that can be looked at after the run.
    final class Kept<Value>: Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
}
