import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

/// A failed atomic batch leaves no trace: of two servers, one also gets such batches, and both
/// behave alike, with all kinds of effects, children, closures and keys.
@Suite("A failed atomic batch")
struct BatchUndoTests {
    @Test(arguments: UInt64(1)...25)
    func `a failed atomic batch leaves no trace`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let tried = try EffectBench()
        let spared = try EffectBench()
        for number in 0..<30 {
            let batch = try Self.failingBatch(tried, &random)
            guard case .failure(.inBatch) = try tried.ask(.batch(batch)) else {
                throw Problem("seed \(seed): the batch didn't fail")
            }
            try Self.compare(tried, spared, "seed \(seed), \(number)")
            // Both continue with the same requests.
            let event = Self.event(&random)
            let to = Self.name(&random)
            let name = "k\(Int.random(in: 0...5, using: &random))"
            let key = Bool.random(using: &random) ? name : nil
            let choice = Int.random(in: 0...5, using: &random)
            for bench in [tried, spared] {
                try bench.ask(.send(bench.makeSend(event, to: to, dedup: key)))
                switch choice {
                case 0: try bench.advance(by: 700)
                case 1 where !bench.dispatched.isEmpty: try bench.report(.completed(.integer(1)))
                case 2 where !bench.dispatched.isEmpty:
                    try bench.report(.failed(reason: "no", isPermanent: false))
                case 3: try bench.settle()
                default: break
                }
            }
            try Self.compare(tried, spared, "seed \(seed), \(number)")
        }
    }

    private static func compare(
        _ tried: EffectBench, _ spared: EffectBench, _ place: String
    ) throws {
        let (left, right) = try (picture(tried), picture(spared))
        let difference = left.difference(from: right)
        guard difference.isEmpty else { throw Problem("\(place): \(difference)") }
    }

    private static func name(_ random: inout SeededRandom) -> String {
        "lab/" + (["a", "b", "c"].randomElement(using: &random) ?? "a")
    }

    private static func event(_ random: inout SeededRandom) -> Lab.Event {
        let id = ["x", "y", "z"].randomElement(using: &random) ?? "x"
        switch Int.random(in: 0...13, using: &random) {
        case 0: return .note(id)
        case 1: return .plan(.after(500, id: id, note: "rang"))
        case 2:
            return .plan(
                .perform("work", id: id, then: "got", tries: 2, policy: "replace"))
        case 3: return .plan(.undoable("work", id: id))
        case 4: return .plan(.send(to: name(&random), note: "hello", after: 0))
        case 5:
            return .plan(
                .start("lab", id: id, instance: nil, note: "born", detached: false))
        case 6: return .plan(.ask(id: id, milliseconds: 900))
        case 7: return .plan(.cancel(id))
        case 8: return .plan(.cancelAll)
        case 9: return .plan(.queued(.suspend1, note: id, spacing: 100))
        case 10: return .plan(.sequence([.after(100, id: nil, note: "one"), .apply("two")]))
        case 11: return .plan(.compensate)
        case 12: return .plan(.queued(.newest1, note: id, spacing: 0))
        default:
            return Int.random(in: 0...3, using: &random) == 0 ? .end(nil) : .note("still")
        }
    }

    private static func failingBatch(
        _ bench: EffectBench, _ random: inout SeededRandom
    ) throws -> SendBatch {
        var items: [SendBatch.Item] = []
        for number in 0..<Int.random(in: 0...5, using: &random) {
            let isNew = Int.random(in: 0...4, using: &random) == 0
            items.append(
                .send(
                    try bench.makeSend(
                        event(&random), to: isNew ? "lab/new\(number)" : name(&random),
                        dedup: Bool.random(using: &random) ? "b\(number)" : nil)))
        }
        let bad: SendBatch.Item =
            Bool.random(using: &random)
            ? .send(try bench.makeSend(.refuse, to: "lab/never"))
            : .refused(.badRequest(path: "$.items[0]", message: "no send"))
        return SendBatch(items: items + [bad], isAtomic: true)
    }

    /// The visible data of a server.
    private static func picture(_ bench: EffectBench) throws -> [String] {
        var lines = ["head \(bench.store.head)", "last \(bench.store.lastInstanceNumber.value)"]
        for row in try bench.store.instances(prefix: "", after: nil, limit: 1_000) {
            let name = row.name.text
            let got = try bench.got(name)
            lines.append(
                "\(name) v\(got.version) \(got.state.text) \(got.isDone) \(got.effects)")
            lines += try bench.rows(of: name)
            lines.append(
                try bench.ask(.history(History(to: row.name, after: 0, limit: 1_000))).summary)
        }
        lines += bench.atWork
        lines += bench.cancelled.map { "cancelled \($0)" }
        lines += bench.takeNotes()
        lines += bench.takeOutputs(of: "lab/a")
        lines.append("due \(bench.engine.nextDue.map { "\($0)" } ?? "never")")
        guard case .statistics(let numbers) = try bench.ask(.stats) else { throw Problem("stats") }
        // Refused requests are counted, and instances may have left memory.
        let differing = ["engine_requests", "engine_refusals", "instances_resident"]
        lines += numbers.filter { !differing.contains($0.name) }.map { "\($0.name) \($0.value)" }
        return lines
    }

    @Test func `a failed atomic batch answers no waiting request`() throws {
        let bench = try EffectBench()
        try bench.send(.note("here"))
        let name = try #require(InstanceName("lab/a"))
        let token = try bench.begin(.await(Await(to: name, until: .done, timeout: 60_000)))
        let batch = try SendBatch(
            items: [
                .send(bench.makeSend(.end(nil), to: "lab/a")),
                .send(bench.makeSend(.refuse, to: "lab/a")),
            ], isAtomic: true)
        guard case .failure(.inBatch(index: 1, .instanceDone)) = try bench.ask(.batch(batch))
        else { throw Problem("the batch didn't fail") }
        #expect(bench.answers[token] == nil)
        try bench.send(.end(nil))
        guard case .got(let got)? = bench.answers[token] else { throw Problem("no answer") }
        #expect(got.isDone)
    }

    @Test func `a failed atomic batch sends no records and stops no handler`() throws {
        let bench = try EffectBench()
        try bench.plan(.perform("work", id: "w", then: "got", tries: 1, policy: "replace"))
        _ = bench.takeNotes()
        let batch = try SendBatch(
            items: [
                .send(bench.makeSend(.plan(.cancel("w")), to: "lab/a")),
                .send(bench.makeSend(.note("said"), to: "lab/a")),
                .send(bench.makeSend(.refuse, to: "lab/a")),
            ], isAtomic: true)
        try bench.ask(.batch(batch))
        #expect(bench.cancelled.isEmpty)
        #expect(bench.takeNotes().isEmpty && bench.takeOutputs(of: "lab/a").isEmpty)
        try bench.report(.completed(.integer(7)))
        #expect(try bench.log() == ["got 7"])
    }

    // MARK: Closures

    /// Starts closures, one at a time, and ends them.
    private enum Ear: EffectTransducer, InitialState {
        enum State: NonTerminal, Codable, Sendable { case idle, listening }
        enum Event: Codable, Sendable { case listen, hush, refuse, heard(String) }

        static var initialState: State { .idle }

        static func update(_ state: inout State, event: Event) throws -> TransducerEffect<Self>? {
            switch event {
            case .listen:
                state = .listening
                return TransducerEffect(
                    id: "ear", policy: .coexist, queue: LabQueue(line: .suspend1)
                ) { _, input in
                    try await input.enqueue(.heard("it"))
                }
            case .hush:
                state = .idle
                return .cancel(id: "ear")
            case .refuse: throw Rejection("not now")
            case .heard: return nil
            }
        }
    }

    @Test func `a failed atomic batch keeps earlier closures and drops its own`() throws {
        let bench = try EffectBench([Definition(Ear.self, named: "ear", version: "1")])
        try bench.send(.string("listen"), to: "ear/a")
        try bench.send(.string("listen"), to: "ear/a")
        #expect(try bench.rows(of: "ear/a") == ["active ear", "waiting ear"])
        let batch = try SendBatch(
            items: ["hush", "listen", "refuse"].map {
                .send(try bench.makeSend(encoding: JSONValue.string($0), to: "ear/a"))
            }, isAtomic: true)
        guard case .failure(.inBatch(index: 2, .eventRejected)) = try bench.ask(.batch(batch))
        else { throw Problem("the batch didn't fail") }
        #expect(bench.dispatched.count == 1 && bench.cancelled.isEmpty)
        #expect(try bench.rows(of: "ear/a") == ["active ear", "waiting ear"])
        // Both closures are still known: the first one's result is applied, and the second one
        // runs when the first ends.
        let issue = try bench.takeDispatched()
        let heard = try JSONValue(parsing: Array(#"{"type":"heard","value":"it"}"#.utf8))
        #expect(try bench.report(.emitted(heard, number: 1), of: issue) == true)
        #expect(try bench.got("ear/a").version == 3)
        try bench.report(.completed(.null), of: issue)
        #expect(try bench.rows(of: "ear/a") == ["active ear"])
        #expect(bench.dispatched.count == 1 && bench.dispatched.first?.closure != nil)
    }
}
