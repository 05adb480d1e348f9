import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// Every bound of effects (docs/reference/limits.md): at the bound everything works, above it the
/// page's result follows.
@Suite("Bounds of effects")
struct EffectLimitTests {
    private func timers(_ count: Int, _ name: String = "t") -> [Lab.Plan] {
        (0..<count).map { .after(60_000, id: "\(name)\($0)", note: "x") }
    }

    /// The reason of a refused step; `nil` for an accepted one.
    private func refusal(_ bench: EffectBench, _ plans: [Lab.Plan]) throws -> String? {
        switch try bench.send(.plan(.all(plans))) {
        case .sent: return nil
        case .failure(.evaluationLimit(let message)): return message
        case let other: throw Problem("\(other)")
        }
    }

    @Test func `a step asks for at most a thousand effects`() throws {
        let bench = try EffectBench()
        let most = Limits.effectsPerStepMax
        #expect(try refusal(bench, timers(most + 1)) == "a step may ask for 1000 effects")
        #expect(try !bench.exists("lab/a"))
        #expect(try refusal(bench, timers(most)) == nil)
        #expect(try bench.rows().count == most)
        // Parts of sequences and cancellations count.
        let mixed = timers(most - 3) + [.sequence(timers(2, "s")), .cancel("t1")]
        #expect(try refusal(bench, mixed + [.cancel("t2")]) != nil)
        #expect(try refusal(bench, mixed) == nil)
    }

    @Test func `an instance has at most ten thousand effects, and can then cancel some`()
        throws
    {
        let bench = try EffectBench()
        let most = Int(Limits.effectsPerInstanceMax)
        for part in 0..<(most / Limits.effectsPerStepMax) {
            #expect(try refusal(bench, timers(Limits.effectsPerStepMax, "\(part)-")) == nil)
        }
        #expect(try bench.rows().count == most)
        #expect(
            try refusal(bench, timers(1))
                == "an instance may have 10000 effects, and 10000 live")
        // Other instances are not affected.
        guard case .sent = try bench.plan(.after(1, id: nil, note: "x"), at: "lab/b") else {
            throw Problem("another instance was refused")
        }
        #expect(try refusal(bench, [.cancel("0-0"), .cancel("0-1")]) == nil)
        #expect(try bench.rows().count == most - 2)
        // A sequence has a row besides those of its parts.
        #expect(try refusal(bench, [.sequence(timers(2))]) != nil)
        #expect(try refusal(bench, [.sequence(timers(1))]) == nil)
        #expect(try bench.rows().count == most)
    }

    @Test func `failed and undoable effects count until they are removed`() throws {
        let bench = try EffectBench()
        try bench.plan(
            .undoable("work", id: "u"),
            .perform(
                "work", id: nil, then: nil, tries: 1, policy: "coexist"))
        try bench.report(.completed(1))
        try bench.report(.failed(reason: "no", isPermanent: true))
        #expect(try bench.rows().sorted() == ["completed u", "failed -"])
        for part in 0..<9 {
            #expect(try refusal(bench, timers(Limits.effectsPerStepMax, "\(part)-")) == nil)
        }
        #expect(try refusal(bench, timers(999, "9-")) != nil)
        #expect(try refusal(bench, timers(998, "9-")) == nil)
    }

    @Test func `an instance keeps the newest hundred failures`() throws {
        let bench = try EffectBench()
        let work = Lab.Plan.perform("work", id: nil, then: nil, tries: 1, policy: "coexist")
        let most = Limits.keptFailuresMax
        for number in 1...(most + 1) {
            try bench.plan(work)
            try bench.report(.failed(reason: "\(number)", isPermanent: true))
            #expect(try bench.rows().count == min(number, most))
        }
        let name = try #require(InstanceName("lab/a"))
        guard
            case .effects(let rows, _) = try bench.ask(
                .effects(EffectsQuery(to: name, phase: .failed, limit: 1_000)))
        else { throw Problem("no effects") }
        #expect(rows.map(\.body.reason) == (2...(most + 1)).map { "\($0)" })
    }

    @Test func `of large failures the newest four mebibytes are kept`() throws {
        let bench = try EffectBench()
        let name = try #require(InstanceName("lab/a"))
        let note = String(repeating: "x", count: 600_000)
        func failed() throws -> [StoredEffect] {
            let stored = try #require(try bench.store.instance(named: name))
            return try bench.store.effects(of: stored.number)
        }
        // Together they exceed the bound of an instance's effects: the machine continues.
        for number in 1...40 {
            #expect(try refusal(bench, [.send(to: "none/x", note: note, after: 0)]) == nil)
            if number == 20 { try bench.restart() }
        }
        let rows = try failed()
        #expect(
            rows.map(\.ref.number) == Array(35...40) && rows.allSatisfy { $0.body.phase == .failed }
        )
        #expect(rows.reduce(0) { $0 + $1.weight } <= Limits.keptFailureBytesMax)
        // An effect that is retried and fails again is the newest.
        try bench.ask(.retry(name, effect: 35))
        #expect(try failed().map(\.ref.number) == Array(36...41))
    }

    @Test func `a reason is cut after a kibibyte, between two characters`() throws {
        let bench = try EffectBench()
        let name = try #require(InstanceName("lab/a"))
        func kept(_ reason: String) throws -> String? {
            try bench.plan(.perform("work", id: nil, then: nil, tries: 1, policy: "coexist"))
            try bench.report(.failed(reason: reason, isPermanent: true))
            guard case .effects(let rows, _) = try bench.ask(.effects(EffectsQuery(to: name)))
            else { throw Problem("no effects") }
            return rows.last?.body.reason
        }
        let most = Limits.effectReasonBytesMax
        let whole = String(repeating: "x", count: most)
        #expect(try kept(whole) == whole)
        #expect(try kept(whole + "y") == whole)
        #expect(try kept(whole.dropLast() + "é") == String(whole.dropLast()))
    }

    @Test func `a handler has at most its number of runs, and others wait`() throws {
        let bench = try EffectBench()
        let most = EffectHandler.concurrencyDefault
        for number in 0...most {
            try bench.plan(
                .perform("work", id: "\(number)", then: nil, tries: 1, policy: "coexist"))
        }
        #expect(bench.dispatched.count == most)
        #expect(try bench.rows().count == most + 1)
        try bench.report(.completed(["type": "note", "value": "x"]))
        #expect(bench.dispatched.count == most)
        #expect(EffectHandler("h") { _, _ in .null }.timeout == .seconds(60))
    }

    @Test func `a reply with settle lists at most a thousand outcomes`()
        throws
    {
        let bench = try EffectBench()
        let most = Limits.effectsPerStepMax
        let plans =
            timers(most - 1) + [.perform("work", id: "w", then: nil, tries: 1, policy: "coexist")]
        let token = try bench.begin(
            .send(
                bench.makeSend(
                    .plan(.all(plans)), to: "lab/a", settle: .tree, timeout: 3_600_000)))
        var writer = JSONWriter()
        try JSONCoding.encode(Lab.Event.plan(.all(timers(2, "more"))), into: &writer)
        try bench.report(.completed(JSONValue(parsing: writer.bytes)))
        #expect(bench.answers[token] == nil)
        try bench.advance(by: 120_000)
        guard case .sent(let sent)? = bench.answers[token] else { throw Problem("no answer") }
        #expect(sent.settled?.count == most)
        #expect(try bench.log().count == most + 1)
    }

    @Test func `an undoing has fifty attempts, then it has failed for good`() throws {
        let bench = try EffectBench()
        try bench.plan(.undoable("work", id: "u"))
        try bench.report(.completed(1))
        try bench.plan(.compensate)
        var tries = 0
        while !bench.dispatched.isEmpty {
            #expect(bench.dispatched[0].handler == "undo")
            try bench.report(.failed(reason: "not now", isPermanent: false))
            tries += 1
            try bench.advance(by: 24 * 3_600_000)
        }
        #expect(tries == Limits.undoingAttemptsMax)
        #expect(try bench.rows().contains { $0.hasPrefix("failed") })
    }

    @Test func `get shows the oldest hundred effects, up to about a mebibyte`() throws {
        let bench = try EffectBench()
        let most = Limits.effectsShownMax
        try bench.plan(.all(timers(most)))
        #expect(try bench.got("lab/a").effects.count == most)
        try bench.plan(.after(1, id: "last", note: "x"))
        let shown = try bench.got("lab/a").effects
        #expect(shown.count == most)
        #expect(!shown.contains { $0.body.run?.key.text == "last" })
        let large = String(repeating: "x", count: 400_000)
        for number in 0..<4 {
            try bench.plan(.after(60_000, id: "\(number)", note: large), at: "lab/large")
        }
        #expect(try bench.got("lab/large").effects.count == 2)
        #expect(try bench.rows(of: "lab/large").count == 4)
    }

    @Test func `the effects of a step carry at most a mebibyte, to the byte`() throws {
        let bench = try EffectBench()
        func carries(_ bytes: Int) throws -> Bool {
            try refusal(
                bench, [.after(10, id: "t", note: String(repeating: "x", count: bytes))]) == nil
        }
        // The bytes around the text.
        let around = try #require((0..<200).first { try carries((1 << 20) - $0) })
        #expect(try !carries((1 << 20) - around + 1))
        #expect(around > 0 && around < 100)
    }

    @Test func `pages of effects end after about a mebibyte or their rows, with next`() throws {
        let bench = try EffectBench()
        let large = String(repeating: "x", count: 400_000)
        for number in 0..<4 {
            try bench.plan(.after(60_000, id: "\(number)", note: large), at: "lab/large")
        }
        let name = try #require(InstanceName("lab/large"))
        for to in [name, nil] {
            guard
                case .effects(let rows, let next?) = try answer(
                    bench, .effects(EffectsQuery(to: to, limit: 1_000)))
            else { throw Problem("no page, or no next") }
            #expect(rows.count == (to == nil ? 3 : 2))
            guard
                case .effects(let rest, nil) = try answer(
                    bench, .effects(EffectsQuery(to: to, after: next, limit: 1_000)))
            else { throw Problem("no second page, or a next") }
            #expect(rows.count + rest.count == 4)
        }
        for number in 0..<3 { try bench.plan(.all(timers(1_000)), at: "lab/\(number)") }
        guard
            case .effects(let none, let next?) = try answer(
                bench, .effects(EffectsQuery(phase: .failed, limit: 1_000)))
        else { throw Problem("no page, or no next") }
        #expect(none.isEmpty)
        guard
            case .effects(let end, nil) = try answer(
                bench, .effects(EffectsQuery(phase: .failed, after: next, limit: 1_000)))
        else { throw Problem("no second page, or a next") }
        #expect(end.isEmpty)
    }

    @Test func `a turn reads few effects if they are large`() throws {
        let bench = try EffectBench()
        let large = String(repeating: "x", count: 100_000)
        for number in 0..<20 {
            try bench.plan(.send(to: "lab/b", note: large, after: 60_000 + number))
        }
        // None matches, all are read.
        let token = try bench.begin(.effects(EffectsQuery(phase: .failed, limit: 1_000)))
        var turns = 0
        while bench.answers[token] == nil {
            try bench.work(turns: 1)
            turns += 1
        }
        #expect(turns >= 20 * 100_000 / Limits.pageBytesPerTurn - 2)
    }

    /// The reply to a request that may take more than one turn.
    private func answer(_ bench: EffectBench, _ operation: Operation) throws -> Reply {
        let token = try bench.begin(operation)
        try bench.work()
        guard let reply = bench.answers[token] else { throw Problem("no reply") }
        return reply
    }
}
