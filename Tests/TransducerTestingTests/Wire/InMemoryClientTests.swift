import Testing
import TransducerTesting
import Transducers

/// A till: it accepts money, gives receipts, and closes.
private enum Till: Transducer, InitialState {
    struct State: Terminable, Codable, Equatable, Sendable {
        var sum = 0
        var isTerminal = false
    }
    enum Event: Codable, Sendable { case take(amount: Int), close, jam }
    enum Output: Codable, Equatable, Sendable { case receipt(sum: Int), closed, opened }

    static let initialState = State()

    static func initialOutput(initialState: State) -> Output? { .opened }

    static func update(_ state: inout State, event: Event) throws -> Output {
        switch event {
        case .take(let amount):
            guard amount > 0 else { throw Rejection("no money", accepts: ["take", "close"]) }
            state.sum += amount
            return .receipt(sum: state.sum)
        case .close:
            state.isTerminal = true
            return .closed
        case .jam: throw Jam()
        }
    }
    struct Jam: Error {}
}

/// A machine without outputs. Its step may request effects that a server doesn't run.
private enum Quiet: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var count = 0 }
    enum Event: Codable, Sendable { case once, twice, outside }
    static let initialState = State()

    static func update(_ state: inout State, event: Event) -> Effect? {
        state.count += 1
        switch event {
        case .once: return nil
        case .twice: return .event(.once)
        case .outside: return .fireAndForget { _, _ in }
        }
    }
}

/// A machine whose state doesn't survive encoding.
private enum Lossy: Transducer, InitialState {
    struct State: NonTerminal, Codable, Sendable {
        var ratio = 0.0
    }
    enum Event: Codable, Sendable { case divide }
    static let initialState = State()

    static func update(_ state: inout State, event: Event) { state.ratio = .infinity }
}

@Suite("InMemoryClient")
struct InMemoryClientTests {
    @Test func `events, outputs and states go there and back as JSON`() throws {
        let till = InMemoryClient(of: Till.self)
        #expect(try till.send(.take(amount: 5)) == [.opened, .receipt(sum: 5)])
        #expect(try till.send(.take(amount: 2)) == [.receipt(sum: 7)])
        #expect(try till.state() == Till.State(sum: 7))
        #expect(till.stateJSON() == #"{"sum":7,"isTerminal":false}"#)
    }

    @Test func `another program's text is accepted too`() throws {
        let till = InMemoryClient(of: Till.self)
        let outputs = try till.send(json: #"{"type":"take","amount":5}"#)
        #expect(outputs == [#""opened""#, #"{"type":"receipt","sum":5}"#])
        let error = #expect(throws: EventError.self) {
            try till.send(json: #"{"type":"take","amount":"five"}"#)
        }
        #expect(error?.path.hasSuffix("amount") == true)
        #expect(throws: (any Error).self) { try till.send(json: "{") }
        #expect(try till.state() == Till.State(sum: 5))
    }

    @Test func `instances are apart`() throws {
        let till = InMemoryClient(of: Till.self)
        try till.send(.take(amount: 5), to: "left")
        try till.send(.take(amount: 1), to: "right")
        #expect(try till.state(of: "left")?.sum == 5)
        #expect(try till.state(of: "right")?.sum == 1)
        #expect(try till.state(of: "middle") == nil)
        #expect(till.stateJSON(of: "middle") == nil)
    }

    @Test func `refusals, failures and ends are reported, and nothing changes`() throws {
        let till = InMemoryClient(of: Till.self)
        try till.send(.take(amount: 5))
        #expect(throws: Rejection("no money", accepts: ["take", "close"])) {
            try till.send(.take(amount: 0))
        }
        #expect(throws: StepFailure.evaluation("Jam()")) { try till.send(.jam) }
        #expect(try till.state() == Till.State(sum: 5))
        #expect(try till.send(.close) == [.closed])
        #expect(throws: TransducerError.ended) { try till.send(.take(amount: 1)) }
    }

    @Test func `immediate events are applied, other effects are recorded`() throws {
        let quiet = InMemoryClient(of: Quiet.self)
        try quiet.send(.twice)
        #expect(try quiet.state()?.count == 2)
        #expect(quiet.effects.isEmpty)
        try quiet.send(.outside)
        #expect(try quiet.state()?.count == 3)
        guard case .start(let run)? = quiet.effects.first else {
            Issue.record("no effect: \(quiet.effects)")
            return
        }
        #expect(run.kind == "closure")
    }

    @Test func `a state that can't be written is reported`() throws {
        let lossy = InMemoryClient(of: Lossy.self)
        #expect(throws: StepFailure.self) { try lossy.send(.divide) }
        #expect(try lossy.state() == nil)
    }

    @Test func `bounds are a server's, or the test's`() throws {
        let small = InMemoryClient(
            of: Quiet.self,
            limits: StepLimits(immediateEvents: 0, outputs: 1, outputBytes: 9, stateBytes: 99))
        #expect(throws: StepFailure.eventLimit(0)) { try small.send(.twice) }
        try small.send(.once)
    }
}
