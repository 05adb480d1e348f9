import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// Keeps a value in its state, or passes it on to a handler, in sequences of some depth.
private enum Keeper: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var value: JSONValue = nil }

    enum Event: Codable, Sendable {
        case keep(JSONValue)
        case pass(JSONValue, depth: Int)
        case touch
    }

    typealias Output = JSONValue?

    static let initialState = State()

    static func update(_ state: inout State, event: Event) -> (Effect?, JSONValue?) {
        switch event {
        case .keep(let value):
            state.value = value
            return (nil, value)
        case .pass(let value, let depth):
            var effect = Effect.perform(
                "work", argument: value, undo: EffectUndo("undo", argument: value))
            for _ in 0..<depth { effect = .sequence(effect, .event(.keep(value))) }
            return (effect, nil)
        case .touch: return (nil, nil)
        }
    }
}

/// All acknowledged data is there after a restart.
@Suite("Writing and reading back")
struct StoredPropertyTests {
    private func value(_ depth: Int, _ width: Int, _ random: inout SeededGenerator) -> JSONValue {
        let texts = ["", "x", "\u{1}\"\\", "é😀", String(repeating: "long ", count: 40)]
        let leaves: [JSONValue] = [
            .null, true, 0, .integer(1 << 53 - 1), .integer(-(1 << 53 - 1)), 0.1, 1e300, -0.0,
            .string(texts.randomElement(using: &random) ?? ""),
        ]
        var inner = leaves.randomElement(using: &random) ?? .null
        for level in 0..<depth {
            let beside = Array(repeating: inner, count: level == 0 ? width : 0)
            if Bool.random(using: &random) {
                inner = .array([inner] + beside)
            } else {
                inner = ["a": inner, "b": .array(beside)]
            }
        }
        return inner
    }

    private func event(_ random: inout SeededGenerator) -> Keeper.Event {
        let depth = [0, 1, 10, 55, 60, 61, 62, 63, 64, 65, 70].randomElement(using: &random) ?? 0
        let isWide = Int.random(in: 0..<15, using: &random) == 0
        let width = isWide ? 101_000 : Int.random(in: 0..<100, using: &random)
        let value = value(depth, width, &random)
        if Bool.random(using: &random) { return .keep(value) }
        let nesting = [0, 1, 5, 15, 16, 20].randomElement(using: &random) ?? 0
        return .pass(value, depth: nesting)
    }

    @Test
    func `acknowledged instances can be used after a restart`()
        throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let bench = try EffectBench([Definition(Keeper.self, named: "keeper", version: "1")])
        let machine = Definition(Keeper.self, named: "keeper", version: "1").machine
        let name = try #require(InstanceName("keeper/a"))
        var (taken, refused) = (0, 0)
        for _ in 0..<60 {
            var writer = JSONWriter()
            try JSONCoding.encode(event(&random), into: &writer)
            let document = try JSONDocument(parsing: writer.bytes, limits: .stored)
            let event = try machine.decodeEvent(document, at: document.root)
            let reply = try bench.ask(
                .send(Send(to: name, event: .decoded(event), eventText: writer.bytes)))
            guard case .sent = reply else {
                refused += 1
                continue
            }
            taken += 1
            let before = try bench.got("keeper/a").state
            try bench.restart()
            #expect(try bench.got("keeper/a").state == before, "seed \(seed)")
            #expect(try bench.send("touch", to: "keeper/a").summary.hasPrefix("v"), "seed \(seed)")
            try bench.restart()
            if Bool.random(using: &random) {
                guard case .stopped = try bench.ask(.stop(name, reason: nil)) else {
                    throw Problem("not stopped, seed \(seed)")
                }
                try bench.restart()
            }
            guard case .stopped = try bench.ask(.delete(name)) else {
                throw Problem("not deleted, seed \(seed)")
            }
        }
        #expect(taken > 10 && refused > 10, "seed \(seed)")
        #expect(try bench.store.effects(after: nil, limit: 1).isEmpty, "seed \(seed)")
    }

    // MARK: Rows of before

    /// A row of schema 3, as data files have it.
    private static let row =
        #"{"owner":"lab/a","phase":"active","run":{"key":{"scopes":["s"],"id":"ID"},"#
        + #""policy":"keep_oldest","queue":{"name":"Q.q","maxCount":2,"#
        + #""overflow":"suspend_new","spacing":5,"spacingRange":0},"rank":25,"#
        + #""work":{"type":"perform","handler":"work","argument":{"n":[1,0.5]}},"#
        + #""then":"got","retry":{"attemptsMax":8,"intervalMilliseconds":1000,"factor":2.0,"#
        + #""intervalMillisecondsMax":300000,"jitter":0.5},"timeout":9000,"#
        + #""undo":{"handler":"undo","argument":null}},"asked":1000,"begun":1001,"#
        + #""failures":1,"delivered":2,"reason":"busy","outstanding":0,"isBroken":false,"#
        + #""goesOn":false,"request":"k","isFinal":false}"#

    @Test(arguments: ["w", String(repeating: "long", count: 100_000)])
    func `rows of schema 3 are read, and written as they were`(id: String) throws {
        let text = Array(Self.row.replacing("ID", with: id).utf8)
        let ref = EffectRef(instance: InstanceNumber(1), number: 7)
        let row = try text.withUnsafeBytes {
            try StoredEffect(ref: ref, due: nil, handlerQueue: "work", decoding: $0)
        }
        #expect(row.body.log == nil && row.isForHandler)
        #expect(row.body.run?.key.text == "s/\(id)")
        #expect(row.body.run?.queue?.maxCount == 2 && row.body.run?.retry == .standard)
        #expect(row.body.failures == 1 && row.body.delivered == 2 && row.body.reason == "busy")
        #expect(try row.encodedBody() == text)
        var stamped = row
        stamped.body.log = "ab"
        let end = Array(#","log":"ab"}"#.utf8)
        #expect(try stamped.encodedBody() == text.dropLast() + end)
    }

    @Test func `every row is written as Codable writes it`() throws {
        var random = SeededGenerator(seed: 91)
        let phases: [StoredEffect.Phase] = [.waiting, .active, .asking, .failed]
        let texts: [String?] = [nil, "", "a\"\u{1}é", "replies"]
        let numbers: [Int64] = [0, 1, -5, 1 << 53 - 1, 1 << 53]
        let text = try JSONDocument(parsing: Array(#"{"handler":"u","argument":[1,{}]}"#.utf8))
        let undo = try JSONCoding.decode(HostedRun.Undo.self, from: text, at: text.root)
        var (written, refused) = (0, 0)
        for _ in 0..<4_000 {
            func text() -> String? { texts.randomElement(using: &random) ?? nil }
            func number() -> Int64 {
                let draw = Int.random(in: 0..<200, using: &random)
                return numbers[draw == 0 ? 4 : draw % 4]
            }
            let works: [HostedRun.Work] = [
                .perform(handler: text() ?? "h", argument: value(3, 3, &random)),
                .perform(handler: "h", argument: .integer(number())),
                .perform(handler: "h", argument: [0.5, .double(.infinity), .integer(number())]),
                .after(milliseconds: number(), event: "e"), .ask(milliseconds: nil), .compensate,
            ]
            var run = HostedRun(
                key: HostedKey(scopes: text().map { [$0, "s"] } ?? [], id: text()),
                work: works.randomElement(using: &random) ?? .compensate, then: text())
            if Bool.random(using: &random) { run.key.types = ["", "A<B>.ü"] }
            run.policy = .keepOldest
            run.rank = Int(number())
            if Bool.random(using: &random) {
                run.retry = RetryPolicy(attemptsMax: 3, factor: 1.5, totalMax: .seconds(9))
                run.retry.factor = [1.5, .nan].randomElement(using: &random) ?? 1
                run.timeout = number()
                run.undo = undo
            }
            var body = StoredEffect.Body(
                owner: text() ?? "lab/a", phase: phases.randomElement(using: &random) ?? .active,
                run: Bool.random(using: &random) ? run : nil,
                asked: Timestamp(milliseconds: number()))
            (body.reason, body.token, body.request, body.log) = (text(), text(), text(), text())
            body.begun = number()
            (body.failures, body.delivered) = (Int(number()), Int(number()))
            body.parent = Bool.random(using: &random) ? number() : nil
            body.isBroken = Bool.random(using: &random)
            body.isFinal = Bool.random(using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                body.child = text()
                body.outcome = .failure("f")
                body.rest = [.event("e")]
                body.asleep = StoredEffect.Body.Asleep(due: 5, lane: text())
            }
            var writer = JSONWriter()
            let isWritable = (try? JSONCoding.encode(body, into: &writer)) != nil
            let ref = EffectRef(instance: InstanceNumber(1), number: 7)
            let bytes = try? StoredEffect(ref: ref, body: body).encodedBody()
            #expect(bytes == (isWritable ? writer.bytes : nil), "\(body)")
            if isWritable { written += 1 } else { refused += 1 }
        }
        #expect(written > 500 && refused > 100, "\(written) written, \(refused) refused")
    }
}
