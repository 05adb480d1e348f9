import BuiltInMachines
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// Internal events that another machine sends.
@Suite("internal events and other machines")
struct InternalSendTests {
    /// Ticks once, by itself.
    private enum Ticker: EffectTransducer, InitialState {
        struct State: NonTerminal, Codable, Sendable { var ticks = 0 }
        enum Event: Codable, Sendable { case start, tick }
        typealias Output = Int
        static let internalEvents = ["tick"]
        static let initialState = State()
        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            if case .start = event { return (.after(.seconds(1), .tick), state.ticks) }
            state.ticks += 1
            return (nil, state.ticks)
        }
    }

    private let bench: EffectBench
    private let relay: JSONValue = [
        "type": "start", "every_ms": 300, "to": "order/o-1", "event": "charged",
    ]

    init() throws {
        bench = try EffectBench.builtIn()
        try bench.send(["type": "place", "total": 77], to: "order/o-1")
    }

    @Test func `a machine that relays a client's event can't send internal events`() throws {
        let before = try bench.text(of: "order/o-1")
        try bench.send(relay, to: "periodic/p")
        try bench.advance(by: 1_000)
        #expect(try bench.text(of: "order/o-1") == before)
        let notes = bench.takeNotes()
        #expect(notes.contains { $0.contains("failed") }, "\(notes)")
    }

    @Test func `a composed machine refuses the internal events of its parts`() throws {
        let two = Definition(
            Parallel<Ticker, Ticker, EndsWithAll>.self, named: "two", version: "1",
            env: { PairEnv() })
        let harness = try EngineHarness([two])
        let refused = #"internalEvent("second.tick")"#
        #expect(try harness.send("two/a", #"{"type":"second","value":"tick"}"#) == refused)
        let failed = #"{"type":"failed","value":{"side":"first","reason":"I say so"}}"#
        #expect(try harness.send("two/a", failed) == #"internalEvent("failed")"#)
        // Its own timer sends what clients may not.
        let bench = try EffectBench([two])
        try bench.send(["type": "second", "value": "start"], to: "two/a")
        try bench.advance(by: 1_000)
        #expect(try bench.text(of: "two/a") == #"{"first":{"ticks":0},"second":{"ticks":1}}"#)
    }

    @Test func `a retry can't put an internal event into a failed send`() throws {
        var unreadable = relay.object ?? JSONObject()
        unreadable["event"] = "zzz"
        try bench.send(.object(unreadable), to: "periodic/p")
        try bench.advance(by: 1_000)
        let name = try #require(InstanceName("periodic/p"))
        let effects = try bench.got("periodic/p").effects
        let failed = try #require(effects.first { $0.body.phase == .failed })
        guard
            case .failure(.internalEvent("charged")) = try bench.ask(
                .retry(name, effect: failed.ref.number, event: "charged"))
        else {
            Issue.record("an internal event took the place of one that a client has chosen")
            return
        }
    }

    @Test func `a new event for an effect counts with the bytes of all effects`() throws {
        let bench = try EffectBench()
        try bench.plan(.all((0..<40).map { .after(60_000, id: "t\($0)", note: "x") }))
        let name = try #require(InstanceName("lab/a"))
        let large: JSONValue = [
            "type": "note", "value": .string(String(repeating: "z", count: 1_000_000)),
        ]
        var refused = 0
        for row in try bench.got("lab/a").effects {
            let reply = try bench.ask(.retry(name, effect: row.ref.number, event: large))
            if case .failure(.evaluationLimit) = reply { refused += 1 }
        }
        let all = try bench.got("lab/a").effects.reduce(0) { $0 + $1.weight }
        #expect(refused == 24)
        #expect(all <= Limits.effectBytesPerInstanceMax)
    }
}
