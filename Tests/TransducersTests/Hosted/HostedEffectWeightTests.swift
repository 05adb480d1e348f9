import OrderedJSON
import Testing

@testable import Transducers

@Suite("Bounds of a hosted effect")
struct HostedEffectWeightTests {
    private func run(_ argument: JSONValue, id: String? = nil) -> HostedRun {
        HostedRun(
            key: HostedKey(id: id), work: .perform(handler: "work", argument: argument))
    }

    private func refusal(_ effect: HostedEffect) -> StepFailure? {
        do throws(StepFailure) {
            _ = try effect.measured()
            return nil
        } catch { return error }
    }

    private func nested(_ depth: Int) -> JSONValue {
        (0..<depth).reduce(JSONValue.integer(1)) { value, _ in .array([value]) }
    }

    @Test func `an id has at most two hundred bytes`() {
        let most = String(repeating: "x", count: 200)
        #expect(refusal(.start(run(1, id: most))) == nil)
        #expect(refusal(.start(run(1, id: most + "x"))) != nil)
        // Bytes as JSON: it stands in every note.
        #expect(refusal(.start(run(1, id: String(repeating: "\u{1}", count: 34)))) != nil)
        var scoped = run(1, id: String(repeating: "x", count: 150))
        scoped.key.scopes = [String(repeating: "s", count: 60)]
        #expect(refusal(.start(scoped)) != nil)
    }

    @Test func `names of targets may have the maximum length`() {
        func send(_ bytes: Int) -> HostedEffect {
            .start(
                HostedRun(
                    key: HostedKey(id: nil),
                    work: .send(
                        to: String(repeating: "x", count: bytes), event: 1, milliseconds: 0)))
        }
        #expect(refusal(send(265)) == nil)
        #expect(refusal(send(266)) != nil)
    }

    @Test func `values, and effects in effects, have a depth`() {
        #expect(refusal(.start(run(nested(64)))) == nil)
        #expect(refusal(.start(run(nested(65)))) != nil)
        func sequences(_ depth: Int) -> HostedEffect {
            (1..<depth).reduce(HostedEffect.start(run(nested(64)))) { effect, number in
                number % 2 == 0 ? .all([effect]) : .sequence([effect])
            }
        }
        #expect(refusal(sequences(32)) == nil)
        #expect(refusal(sequences(33)) != nil)
    }

    @Test(arguments: [
        JSONValue.integer(1 << 53), .integer(.min), .double(.infinity), .double(.nan),
        ["a": [1, .double(-.infinity)]],
    ])
    func `values that JSON can't express are refused`(value: JSONValue) {
        guard case .evaluation(let reason)? = refusal(.start(run(value))) else {
            Issue.record("taken")
            return
        }
        #expect(reason.hasPrefix("an effect can't be written: "))
    }

    @Test func `numbers of retry policies and queues are clamped to JSON's`() {
        var wild = run(1)
        wild.retry.attemptsMax = .max
        #expect(refusal(.start(wild)) != nil)
        wild.retry = wild.retry.storable
        #expect(refusal(.start(wild)) == nil)
        wild.retry.factor = .infinity
        wild.retry.totalMillisecondsMax = .max
        #expect(refusal(.start(wild)) != nil)
        wild.retry = wild.retry.storable
        #expect(refusal(.start(wild)) == nil)
        wild.timeout = .max
        #expect(refusal(.start(wild)) != nil)
    }

    /// The property that a commit relies on: what is measured can be written, and is read back.
    @Test func `every accepted effect is written and read back unchanged`() throws {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0 ... .max, using: &random)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var (passed, refused) = (0, 0)
        for _ in 0..<3_000 {
            let effect = anyEffect(depth: Int.random(in: 0...34, using: &generator), &generator)
            guard refusal(effect) == nil else {
                refused += 1
                continue
            }
            passed += 1
            var writer = JSONWriter()
            try JSONCoding.encode(effect, into: &writer)
            let document = try JSONDocument(parsing: writer.bytes, limits: .stored)
            let read = try JSONCoding.decode(HostedEffect.self, from: document, at: document.root)
            var again = JSONWriter()
            try JSONCoding.encode(read, into: &again)
            #expect(again.bytes == writer.bytes, "seed \(seed)")
            #expect(read == effect, "seed \(seed)")
        }
        #expect(passed > 300 && refused > 300, "seed \(seed)")
    }

    private func anyEffect(depth: Int, _ random: inout SeededGenerator) -> HostedEffect {
        if depth > 0, Int.random(in: 0..<20, using: &random) > 0 {
            var parts = [anyEffect(depth: depth - 1, &random)]
            if Bool.random(using: &random) { parts.append(.event(anyValue(2, &random))) }
            return Bool.random(using: &random) ? .sequence(parts) : .all(parts)
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .event(anyValue(60 + Int.random(in: 0..<8, using: &random), &random))
        case 1 where Bool.random(using: &random):
            let keys = [anyText(&random), anyText(&random)].map { HostedKey(id: $0) }
            // Null and none are the same as JSON.
            let event: JSONValue? =
                Bool.random(using: &random) ? ["a": anyValue(3, &random)] : nil
            return .rename([HostedRename(from: keys[0], to: keys[1], event: event)])
        case 1: return .cancel(HostedSelector(scopes: ["a"], .prefix(anyText(&random))))
        default:
            let value = anyValue(4, &random)
            let works: [HostedRun.Work] = [
                .after(milliseconds: anyInteger(&random), event: value),
                .perform(handler: "work", argument: value),
                .send(to: anyText(&random), event: value, milliseconds: 5),
                .start(
                    machine: "m", instance: anyText(&random), input: value,
                    detached: Bool.random(using: &random)),
                .ask(milliseconds: nil), .compensate,
            ]
            var run = HostedRun(
                key: HostedKey(scopes: ["s"], id: anyText(&random)),
                work: works.randomElement(using: &random) ?? .compensate, then: "got")
            run.retry.totalMillisecondsMax = anyInteger(&random)
            run.undo = HostedRun.Undo(handler: "undo", argument: value)
            return .start(run)
        }
    }

    private func anyInteger(_ random: inout SeededGenerator) -> Int64 {
        [0, 1, 1 << 53 - 1, 1 << 53, .max].randomElement(using: &random) ?? 0
    }

    private func anyText(_ random: inout SeededGenerator) -> String {
        let count = [0, 3, 30, 190, 230].randomElement(using: &random) ?? 0
        let letter = ["x", "\"", "é", "\u{7}"].randomElement(using: &random) ?? "x"
        return String(repeating: letter, count: count)
    }

    private func anyValue(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        guard depth > 0 else {
            let values: [JSONValue] = [1, 0.5, "text", .null, .integer(1 << 53 - 1)]
            return values.randomElement(using: &random) ?? .null
        }
        let inner = anyValue(depth - 1, &random)
        return Bool.random(using: &random) ? [inner] : ["a": inner, "b": 2]
    }
}
