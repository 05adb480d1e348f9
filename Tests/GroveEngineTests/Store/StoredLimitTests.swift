import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// Keeps any value in its state, and starts effects with it.
private enum Vessel: EffectTransducer, InitialState {
    struct State: Terminable, Codable, Sendable {
        var items: [Int] = []
        var value: JSONValue = nil
        var isTerminal = false
    }

    enum Event: Codable, Sendable {
        case grow(Int)
        case keep(JSONValue)
        case pass(JSONValue, depth: Int)
        case wild(String)
        case timer(id: String)
        case child
        case deepen(Int)
        case end
    }

    typealias Output = JSONValue?

    static let initialState = State()

    static func update(_ state: inout State, event: Event) -> (Effect?, JSONValue?) {
        switch event {
        case .grow(let count):
            state.items += Array(repeating: 1, count: count)
            return (nil, nil)
        case .keep(let value):
            state.value = value
            return (nil, nil)
        case .pass(let value, let depth):
            var effect = Effect.perform("work", argument: value, then: "keep")
            for _ in 0..<depth {
                effect = .sequence(effect, .event(.grow(1)))
            }
            return (effect, nil)
        case .wild(let what): return (wild(what), nil)
        case .timer(let id): return (.after(.seconds(1), id: id, .grow(1)), nil)
        case .child:
            return (.start("vessel", id: "kid", instance: "kid", then: "keep"), nil)
        case .deepen(let depth):
            state.value = (0..<depth).reduce(JSONValue.integer(1)) { value, _ in .array([value]) }
            return (nil, nil)
        case .end:
            state.isTerminal = true
            return (nil, .array(state.items.map { .integer(Int64($0)) }))
        }
    }

    struct Wide: EffectQueue {
        var effectQueuePolicy: EffectQueuePolicy { .runNewest(maxCount: .max) }
        var effectQueueDelay: EffectQueueDelay { .constant(.seconds(Int64.max)) }
    }

    private static func wild(_ what: String) -> Effect {
        switch what {
        case "tries":
            return .perform("work", argument: 1, retry: RetryPolicy(attemptsMax: .max))
        case "interval":
            return .perform(
                "work", argument: 1,
                retry: RetryPolicy(
                    attemptsMax: 2, interval: .seconds(Int64.max), intervalMax: .seconds(Int64.max),
                    totalMax: .seconds(Int64.max)))
        case "members":
            var policy = RetryPolicy.standard
            policy.attemptsMax = .max
            policy.factor = .infinity
            policy.intervalMillisecondsMax = .max
            return .perform("work", argument: 1, retry: policy)
        case "queue": return .perform("work", queue: Wide(), argument: 1)
        case "value": return .perform("work", argument: JSONValue.integer(.max))
        case "double": return .after(.seconds(1), .keep(.double(.infinity)))
        case "undo":
            return .perform(
                "work", argument: 1, undo: EffectUndo("undo", argument: JSONValue.double(.nan)))
        default: return .sequence(.perform("work", argument: JSONValue.integer(.min)))
        }
    }
}

/// Written data can be read, and a commit fails only because of the disk.
@Suite("What is stored")
struct StoredLimitTests {
    private static let definitions = [Definition(Vessel.self, named: "vessel", version: "1")]

    private func makeBench(store: any Store = MemoryStore()) throws -> EffectBench {
        try EffectBench(Self.definitions, store: store)
    }

    private func send(
        _ event: JSONValue, to name: String = "vessel/a", _ bench: EffectBench
    ) throws -> String { try bench.send(event, to: name).summary }

    private func nested(_ depth: Int) -> JSONValue {
        (0..<depth).reduce(JSONValue.integer(1)) { value, _ in .array([value]) }
    }

    // MARK: States

    @Test func `a state of more values than a line may have is read back`() throws {
        let bench = try makeBench()
        for number in 1...3 {
            #expect(
                try send(["type": "grow", "value": 50_000], bench) == "v\(number) changed")
        }
        try bench.restart()
        #expect(try send(["type": "grow", "value": 1], bench) == "v4 changed")
        #expect(try bench.got("vessel/a").state.text.utf8.count > 300_000)
    }

    @Test func `a state of the maximum depth is read back, and a deeper one refused`() throws {
        let bench = try makeBench()
        // The state's own object is the first level.
        #expect(try send(["type": "deepen", "value": 63], bench) == "v1 changed")
        try bench.restart()
        #expect(try send(["type": "grow", "value": 1], bench) == "v2 changed")
        let refusal = try send(["type": "deepen", "value": 64], bench)
        #expect(refusal == #"evaluationLimit("a state may be nested 64 deep as JSON")"#)
        #expect(try send(["type": "deepen", "value": 500], bench).hasPrefix("evaluation"))
        #expect(try send(["type": "grow", "value": 1], bench) == "v3 changed")
    }

    @Test func `names of states are found in states of any size`() {
        let items = Array(repeating: "1", count: 120_000).joined(separator: ",")
        let state = #"{"type":"full","items":[\#(items)]}"#
        #expect(CaseName.read(Array(state.utf8)) == "full")
    }

    // MARK: Effects

    @Test(arguments: [0, 1, 10])
    func `an accepted effect can be read back, and its instance deleted`(
        depth: Int
    ) throws {
        let bench = try makeBench()
        let pass: JSONValue = [
            "type": "pass", "value": nested(61), "depth": .integer(Int64(depth)),
        ]
        let values = JSONValue.array(Array(repeating: JSONValue.null, count: 99_990))
        #expect(try send(pass, bench) == "v1")
        #expect(try send(["type": "pass", "value": values, "depth": 1], bench) == "v2")
        let name = try #require(InstanceName("vessel/a"))
        for operation in [Operation.get(Get(to: name, at: nil)), .stop(name, reason: nil)] {
            try bench.restart()
            if case .failure(let failure) = try bench.ask(operation) { throw Problem("\(failure)") }
        }
        try bench.restart()
        if case .failure(let failure) = try bench.ask(.delete(name)) { throw Problem("\(failure)") }
        #expect(try bench.store.effects(after: nil, limit: 10).isEmpty)
    }

    @Test(arguments: ["tries", "interval", "members", "queue"])
    func `unlimited bounds are stored as the largest numbers`(what: String) throws {
        let bench = try makeBench()
        #expect(try send(["type": "wild", "value": .string(what)], bench) == "v1")
        try bench.restart()
        #expect(try bench.rows(of: "vessel/a") == ["active -"])
        #expect(try send(["type": "grow", "value": 1], bench) == "v2 changed")
    }

    @Test(arguments: ["value", "double", "undo", "sequence"])
    func `an effect that can't be written is refused with its step`(what: String) throws {
        let bench = try makeBench()
        #expect(try send(["type": "grow", "value": 1], bench) == "v1 changed")
        let refusal = try send(["type": "wild", "value": .string(what)], bench)
        #expect(refusal.hasPrefix(#"evaluation("an effect can\'t be written: "#))
        #expect(try send(["type": "grow", "value": 1], bench) == "v2 changed")
        #expect(try bench.rows(of: "vessel/a") == [])
    }

    @Test func `an effect's id has two hundred bytes and no more`() throws {
        let bench = try makeBench()
        func timer(_ bytes: Int) -> JSONValue {
            ["type": "timer", "id": .string(String(repeating: "i", count: bytes))]
        }
        #expect(try send(timer(200), bench) == "v1")
        #expect(try send(timer(201), bench).hasPrefix("evaluationLimit"))
        #expect(try bench.rows(of: "vessel/a").count == 1)
    }

    @Test func `a child's result of many values is its parent's, not null`() throws {
        let bench = try makeBench()
        #expect(try send("child", bench) == "v1")
        for _ in 0..<3 {
            _ = try send(["type": "grow", "value": 50_000], to: "vessel/kid", bench)
        }
        #expect(try send("end", to: "vessel/kid", bench).hasSuffix("done"))
        #expect(try bench.got("vessel/a").state.text.utf8.count > 300_000)
    }

    // MARK: Steps

    /// An event of at least this many bytes.
    private func grow(padding bytes: Int, _ bench: EffectBench) throws -> Operation {
        let text = Array("\"end\"".utf8) + Array(repeating: UInt8(ascii: " "), count: bytes)
        let send = try bench.makeSend(
            encoding: ["type": "grow", "value": 1] as JSONValue, to: "vessel/a")
        return .send(Send(to: send.to, event: send.event, eventText: text))
    }

    @Test func `a step that is too large to store is refused, and the next accepted`() throws {
        let bench = try makeBench()
        for _ in 0..<2 {
            #expect(
                try bench.ask(grow(padding: Limits.stepBytesMax, bench)).summary.hasPrefix(
                    "evaluationLimit"))
            #expect(try !bench.exists("vessel/a"))
        }
        #expect(try bench.ask(grow(padding: 7 << 20, bench)).summary == "v1 changed")
        #expect(
            try bench.ask(grow(padding: Limits.stepBytesMax, bench)).summary.hasPrefix(
                "evaluationLimit"))
        #expect(try send(["type": "grow", "value": 1], bench) == "v2 changed")
        #expect(try bench.got("vessel/a").state.text.hasPrefix(#"{"items":[1,1]"#))
    }

    @Test func `can refuses a step that is too large to store`() throws {
        let bench = try makeBench()
        for isThere in [false, true] {
            for (bytes, isTaken) in [(7 << 20, true), (Limits.stepBytesMax, false)] {
                guard case .send(let send) = try grow(padding: bytes, bench) else {
                    throw Problem("no send")
                }
                let can = Can(to: send.to, event: send.event, eventText: send.eventText)
                let answer = try bench.ask(.can(can)).summary
                #expect(answer.hasPrefix("can {") == isTaken, "\(isThere), \(bytes)")
                #expect(answer.hasPrefix("evaluationLimit") != isTaken, "\(isThere), \(bytes)")
            }
            #expect(try bench.exists("vessel/a") == isThere)
            _ = try send(["type": "grow", "value": 1], bench)
        }
    }

    @Test func `a commit that is too large is refused, and the engine continues`()
        throws
    {
        let store = ChoosyStore(MemoryStore())
        let bench = try makeBench(store: store)
        #expect(try send(["type": "grow", "value": 1], bench) == "v1 changed")
        store.refuses = true
        let name = try #require(InstanceName("vessel/a"))
        let grow: JSONValue = ["type": "grow", "value": 1]
        let replies = try bench.askTogether([
            .send(bench.makeSend(encoding: grow, to: "vessel/a")),
            .get(Get(to: name, at: nil)),
        ]).map(\.summary)
        #expect(
            replies[0] == #"evaluationLimit("the commit was refused as a whole: a row is")"#)
        #expect(replies[1].hasPrefix(#"v1 {"items":[1]"#))
        let isFull = bench.engine.isDiskFull
        #expect(!isFull)
        #expect(try bench.fullDisks() == 0)
        store.refuses = false
        #expect(try send(["type": "grow", "value": 1], bench) == "v2 changed")
    }
}

/// Refuses every commit as too large if the test wants it.
private final class ChoosyStore: ForwardingStore {
    var refuses = false

    override func commit(_ writes: WriteSet) throws(StoreError) {
        if refuses { throw .tooLarge("a row is") }
        try super.commit(writes)
    }
}
