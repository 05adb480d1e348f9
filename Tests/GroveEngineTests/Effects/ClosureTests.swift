import GroveEngine
import OrderedJSON
import Testing

@testable import Transducers

/// A machine whose effects are closures.
private enum Ear: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {
        var log: [String] = []
        var isListening = false
    }

    enum Event: Codable, Sendable {
        /// Receive events until cancelled.
        case listen
        /// Receive events of a handler, then of a closure.
        case queue
        /// An action that returns two events.
        case act
        case hush
        case heard(String)
    }

    typealias Env = String

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .listen:
            state.isListening = true
            return listening
        case .queue:
            return .sequence(.perform("work", id: "first", argument: "x"), listening)
        case .act:
            return TransducerEffect(action: { env in [.heard("one \(env)"), .heard("two")] })
        case .hush:
            state.isListening = false
            return .cancel(id: "ear")
        case .heard(let text):
            state.log.append(text)
            return nil
        }
    }

    static var listening: TransducerEffect<Self> {
        TransducerEffect(id: "ear") { env, input in
            try await input.enqueue(.heard("hello \(env)"))
            if env == "deaf" { throw Silence() }
        }
    }

    static func resume(_ state: State) -> TransducerEffect<Self>? {
        state.isListening ? listening : nil
    }

    struct Silence: Error, CustomStringConvertible {
        var description: String { "nothing to hear" }
    }
}

@Suite("Closures of hosted machines")
struct ClosureTests {
    private func bench(env: String = "world") throws -> EffectBench {
        try EffectBench([Definition(Ear.self, named: "ear", version: "1", env: { env })])
    }

    /// Runs dispatched closures as the server would, and reports their results.
    private func run(_ bench: EffectBench) async throws {
        let issue = try bench.takeDispatched()
        let closure = try #require(issue.closure)
        let emitted = Emitted()
        let context = EffectHandlerContext(
            key: issue.key, attempt: issue.attempt, instance: issue.owner.text,
            delivered: issue.delivered, run: UInt64(issue.ref.number)
        ) { value in
            await emitted.add(value)
        }
        let outcome: EffectReport.Outcome
        do {
            outcome = .completed(try await closure.body(issue.argument, context))
        } catch let error as PermanentFailure {
            outcome = .failed(reason: error.reason, isPermanent: true)
        }
        for (index, value) in await emitted.values.enumerated() {
            try bench.report(.emitted(value, number: index + 1), of: issue)
        }
        try bench.report(outcome, of: issue)
    }

    private actor Emitted {
        var values: [JSONValue] = []

        func add(_ value: JSONValue) { values.append(value) }
    }

    private func state(_ bench: EffectBench) throws -> String {
        String(decoding: try bench.got("ear/a").state, as: UTF8.self)
    }

    @Test func `an operation starts after the commit, and its events are steps`()
        async throws
    {
        let bench = try bench()
        try bench.send("listen", to: "ear/a")
        #expect(try bench.rows(of: "ear/a") == ["active ear"])
        try await run(bench)
        #expect(try state(bench) == #"{"log":["hello world"],"isListening":true}"#)
        #expect(try bench.rows(of: "ear/a") == [])
        #expect(bench.takeNotes() == ["started ear", "emitted ear", "completed ear"])
    }

    @Test func `more instances resume than fit into a batch, however early it ends`() throws {
        let bench = try bench()
        let count = 3 * Limits.effectsPerBatchMax
        for number in 0..<count { try bench.send("listen", to: "ear/\(number)") }
        try bench.restart()
        for _ in 0..<5 { _ = try bench.wake(looking: 1, upTo: 1) }
        try bench.settle()
        #expect(Set(bench.dispatched.map(\.owner)).count == count)
    }

    @Test func `the events of an action are steps, in order`() async throws {
        let bench = try bench()
        try bench.send("act", to: "ear/a")
        try await run(bench)
        #expect(try state(bench) == #"{"log":["one world","two"],"isListening":false}"#)
    }

    @Test func `an error of a closure is a failure for good`() async throws {
        let bench = try bench(env: "deaf")
        try bench.send("listen", to: "ear/a")
        try await run(bench)
        #expect(bench.takeNotes().last == "failed ear nothing to hear")
        #expect(try bench.rows(of: "ear/a") == ["failed ear"])
    }

    @Test func `after a crash the machine resumes the effects that it chooses`() async throws {
        let bench = try bench()
        try bench.send("listen", to: "ear/a")
        #expect(bench.dispatched.count == 1)
        _ = bench.takeNotes()
        try bench.restart()
        try bench.settle()
        #expect(bench.takeNotes() == ["cancelled ear", "started ear"])
        #expect(bench.dispatched.count == 1)
        try await run(bench)
        #expect(try state(bench) == #"{"log":["hello world"],"isListening":true}"#)
    }

    @Test func `after a crash a machine that resumes nothing has no effect any more`() throws {
        let bench = try bench()
        try bench.send("act", to: "ear/a")
        try bench.restart()
        try bench.settle()
        #expect(bench.dispatched.isEmpty)
        #expect(try bench.rows(of: "ear/a") == [])
    }

    @Test func `a closure later in a sequence is lost after a crash`() throws {
        let bench = try bench()
        try bench.send("queue", to: "ear/a")
        try bench.restart()
        #expect(bench.atWork == ["work x 1"])
        _ = bench.takeNotes()
        try bench.report(.completed(.null))
        #expect(bench.takeNotes() == ["completed first", "started ear", "cancelled ear"])
        #expect(try bench.rows(of: "ear/a") == [])
    }

    @Test func `a closure resumes when its machine is hosted again`() throws {
        let first = try bench()
        try first.send("listen", to: "ear/a")
        let without = try EffectBench([], store: first.store)
        try without.advance(by: 200_000)
        #expect(try without.rows(of: "ear/a") == ["active ear"])
        let again = try EffectBench(
            [Definition(Ear.self, named: "ear", version: "1", env: { "world" })],
            store: first.store)
        try again.restart()
        try again.settle()
        #expect(again.dispatched.count == 1)
    }

    @Test func `a closure that failed can't be retried by hand`() async throws {
        let bench = try bench(env: "deaf")
        try bench.send("listen", to: "ear/a")
        try await run(bench)
        let ear = try #require(InstanceName("ear/a"))
        guard case .failure(.noSuchEffect(let message)) = try bench.ask(.retry(ear, effect: 1))
        else {
            Issue.record("retried")
            return
        }
        #expect(message.contains("closure"))
    }

    @Test func `a cancelled closure is asked to stop, and its later events are stale`() throws {
        let bench = try bench()
        try bench.send("listen", to: "ear/a")
        let issue = try bench.takeDispatched()
        try bench.send("hush", to: "ear/a")
        #expect(bench.cancelled == [issue.ref])
        let late = EffectReport.Outcome.emitted(["type": "heard", "value": "late"], number: 1)
        #expect(try bench.report(late, of: issue) == false)
        #expect(try state(bench) == #"{"log":[],"isListening":false}"#)
    }

    @Test func `a closure is kept when the disk is full for its cancellation`() async throws {
        let store = FullStore(MemoryStore())
        let bench = try EffectBench(
            [Definition(Ear.self, named: "ear", version: "1", env: { "world" })], store: store)
        try bench.send("queue", to: "ear/a")
        store.isFull = true
        try bench.send("hush", to: "ear/a")
        store.isFull = false
        try bench.advance(by: 10_000)
        try bench.report(.completed(.null))
        try await run(bench)
        #expect(try state(bench) == #"{"log":["hello world"],"isListening":false}"#)
        #expect(try bench.rows(of: "ear/a") == [])
    }

    @Test func `without an environment the step is refused, with advice`() throws {
        let bench = try EffectBench([Definition(Ear.self, named: "ear", version: "1")])
        guard case .failure(.evaluation(let message)) = try bench.send("listen", to: "ear/a")
        else {
            Issue.record("the step was taken")
            return
        }
        #expect(message.contains("environment String"))
        #expect(message.contains("env:"))
    }

    @Test func `the number of closures is bounded, and one that ends makes room`() throws {
        let bench = try EffectBench(
            [Definition(Ear.self, named: "ear", version: "1", env: { "world" })], closures: 3)
        for name in ["ear/a", "ear/b", "ear/c"] { try bench.send("listen", to: name) }
        guard case .failure(.evaluationLimit(let message)) = try bench.send("act", to: "ear/d")
        else { throw Problem("there is a fourth closure") }
        #expect(message == "a server may have 3 closures under way or waiting")
        #expect(try !bench.exists("ear/d"))
        // All other effects continue.
        try bench.send(["type": "heard", "value": "x"], to: "ear/d")
        try bench.send("hush", to: "ear/b")
        try bench.stopCancelled()
        guard case .sent = try bench.send("listen", to: "ear/d") else {
            throw Problem("the room of the closure that has ended is not given back")
        }
        #expect(Limits.closuresMax == 100_000 && EngineOptions().closuresMax == 100_000)
    }

    @Test func `the inbox of a closure is bounded`() async throws {
        let desk = BurstDesk()
        let bench = try EffectBench(
            [Definition(Burst.self, named: "burst", version: "1", env: { desk })])
        try bench.send("begin", to: "burst/a")
        let issue = try bench.takeDispatched()
        let closure = try #require(issue.closure)
        let context = EffectHandlerContext(
            key: issue.key, attempt: 1, instance: issue.owner.text, delivered: 0,
            run: UInt64(issue.ref.number)
        ) { _ in
            await desk.takeOne()
        }
        #expect(try await closure.body(issue.argument, context) == .null)
        #expect(await desk.sent == HostedClosure.inboxMax)
        // The running one, those that fit, and the one that waited for room.
        #expect(await desk.taken == HostedClosure.inboxMax + 2)
    }
}

/// A machine whose closure sends as many events as it may.
private enum Burst: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {}

    enum Event: Codable, Sendable { case begin, heard }

    typealias Env = BurstDesk

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        guard case .begin = event else { return nil }
        return TransducerEffect(id: "burst") { desk, input in
            try input.send(.heard)
            await desk.firstIsTaken()
            var sent = 0
            do {
                while true {
                    try input.send(.heard)
                    sent += 1
                }
            } catch {
                await desk.note(full: sent)
            }
            try await input.enqueue(.heard)
        }
    }
}

/// Accepts the events of a burst: the first one only when the inbox is full.
private actor BurstDesk {
    private(set) var taken = 0
    private(set) var sent: Int?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func takeOne() async {
        taken += 1
        wake()
        while sent == nil { await change() }
    }

    func firstIsTaken() async {
        while taken == 0 { await change() }
    }

    func note(full count: Int) {
        sent = count
        wake()
    }

    private func change() async { await withCheckedContinuation { waiting.append($0) } }

    private func wake() {
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}
