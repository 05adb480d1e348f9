import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

/// Faults, and the results that must not follow.
@Suite("Effects among faults")
struct EffectFaultTests {
    private func work(_ id: String = "w", then: String? = "got", tries: Int = 1) -> Lab.Plan {
        .perform("work", id: id, then: then, tries: tries, policy: "replace")
    }

    private func named(_ name: String) throws -> InstanceName {
        try #require(InstanceName(name))
    }

    // MARK: Crashes

    @Test func `the end of a parent stops more children than fit into one batch`() throws {
        let bench = try EffectBench()
        let kids = (0..<300).map { "k\($0)" }
        for kid in kids {
            try bench.plan(.start("lab", id: kid, instance: kid, note: nil, detached: false))
        }
        try bench.send(.end(nil))
        try bench.restart()
        try bench.settle()
        for kid in kids { #expect(try bench.got("lab/\(kid)").isDone, "\(kid)") }
        #expect(try bench.store.effects(after: nil, limit: 1).isEmpty)
        #expect(bench.engine.nextDue == nil)
    }

    // MARK: Handlers

    @Test func `an effect that comes after the search for work also runs`() throws {
        let bench = try EffectBench(concurrency: 1)
        for name in ["a", "b", "c"] { try bench.send(.note("x"), to: "lab/\(name)") }
        try bench.plan(work(), at: "lab/b")
        try bench.plan(work(), at: "lab/c")
        // The search in the store is past `a` when `a` gets an effect.
        try bench.report(.completed(1))
        try bench.plan(work(), at: "lab/a")
        try bench.report(.completed(1))
        #expect(bench.atWork == ["work x 1"])
        try bench.report(.completed(1))
        for name in ["a", "b", "c"] {
            #expect(try bench.log(of: "lab/\(name)") == ["x", "got 1"])
        }
    }

    @Test func `effects of a missing handler are listed, and can be cancelled`() throws {
        let store = MemoryStore()
        let before = try EffectBench(store: store)
        try before.plan(work("a"), work("b"), .after(100, id: "t", note: "time"))
        let without = try EffectBench(store: store, handlers: ["undo"])
        without.now = before.now
        try without.advance(by: 1_000)
        #expect(try without.log() == ["time"])
        guard
            case .effects(let rows, nil) = try without.ask(
                .effects(EffectsQuery(phase: .active)))
        else {
            Issue.record("not listed")
            return
        }
        #expect(rows.map(\.body.run?.key.text) == ["a", "b"])
        #expect(rows.map(\.handlerQueue) == ["work", "work"])
        try without.ask(.cancel(named("lab/a"), .id("a")))
        let after = try EffectBench(store: store)
        #expect(after.atWork == ["work x 1"])
        try after.report(.completed(1))
        #expect(try after.log() == ["time", "got 1"])
        #expect(try after.rows() == [])
    }

    @Test func `a stream's result that is no event is the effect's failure`() throws {
        let bench = try EffectBench()
        try bench.plan(work(then: nil, tries: 5))
        let issue = try bench.takeDispatched()
        #expect(
            try bench.report(.emitted(["type": "note", "value": "one"], number: 1), of: issue)
                == true)
        #expect(try bench.report(.emitted(["type": "fax"], number: 2), of: issue) == false)
        // The attempt is cancelled; its later reports are stale.
        #expect(bench.cancelled == [issue.ref])
        #expect(try bench.report(.completed(["type": "note", "value": "end"]), of: issue) == false)
        let log = try bench.log()
        #expect(log.count == 2 && log[0] == "one")
        #expect(log[1].hasPrefix("w failed: the result is no event of this machine"))
        #expect(try bench.rows() == [])
        try bench.plan(work("next"))
        #expect(bench.atWork == ["work x 1"])
    }

    @Test func `reports of unknown runs change nothing`() throws {
        let bench = try EffectBench()
        try bench.plan(work())
        let issue = try bench.takeDispatched()
        var forged = [issue, issue, issue, issue]
        forged[0].ref.number += 1
        forged[1].ref.instance = InstanceNumber(99)
        forged[2].attempt += 1
        forged[3].attempt = 0
        for other in forged { #expect(try bench.report(.completed(2), of: other) == false) }
        #expect(try bench.rows() == ["active w"])
        // A result with a number too high doesn't count either; none may be left out.
        #expect(try bench.report(.emitted(9, number: 2), of: issue) == false)
        #expect(try bench.report(.completed(1), of: issue) == true)
        #expect(try bench.log() == ["got 1"])
    }

    // MARK: Tokens

    @Test func `a token is valid for its effect only, not for a later one of the name`() throws {
        let bench = try EffectBench()
        try bench.plan(.ask(id: "p", milliseconds: nil), .ask(id: "q", milliseconds: nil))
        let tokens = try bench.store.effects(after: nil, limit: 2).compactMap(\.body.token)
        let secret = tokens[0].split(separator: "-")[2]
        let mixed = tokens[1].split(separator: "-").prefix(2).joined(separator: "-")
        try refuse("\(mixed)-\(secret)", bench)
        try bench.ask(.delete(named("lab/a")))
        try bench.plan(.ask(id: "p", milliseconds: nil))
        for token in tokens { try refuse(token, bench) }
        #expect(try bench.rows() == ["asking p"])
        #expect(try bench.log() == [])
    }

    private func refuse(_ text: String, _ bench: EffectBench) throws {
        let token = try #require(EffectToken(text))
        guard case .failure(.noSuchEffect) = try bench.ask(.complete(token, .result(1))) else {
            Issue.record("\(text) was taken")
            return
        }
    }

    @Test func `a token answered twice in one commit counts once`() throws {
        let bench = try EffectBench()
        try bench.plan(.ask(id: "q", milliseconds: nil))
        let row = try #require(try bench.store.effects(after: nil, limit: 1).first)
        let text = try #require(row.body.token)
        let token = try #require(EffectToken(text))
        let replies = try bench.askTogether([
            .complete(token, .result(1)), .complete(token, .result(2)),
        ])
        guard case .done = replies[0], case .failure(.noSuchEffect) = replies[1] else {
            Issue.record("\(replies)")
            return
        }
        #expect(try bench.log() == ["got 1"])
    }

    // MARK: The clock

    @Test func `a clock set back by an hour makes timers late, never early`() throws {
        let bench = try EffectBench()
        try bench.plan(.after(1_000, id: "t", note: "time"), .ask(id: "q", milliseconds: 2_000))
        let due = bench.now.milliseconds + 1_000
        bench.now.milliseconds -= 3_600_000
        try bench.restart()
        try bench.wake()
        #expect(bench.engine.nextDue == Timestamp(milliseconds: due))
        try bench.advance(by: 3_600_999)
        #expect(try bench.log() == [])
        try bench.advance(by: 1)
        #expect(try bench.log() == ["time"])
        try bench.advance(by: 1_000)
        #expect(try bench.log() == ["time", "q failed: no answer came in time"])
    }

    @Test func `a clock set forward by a year fires all due timers, in order`() throws {
        let bench = try EffectBench()
        let day: Int = 86_400_000
        try bench.plan(
            .after(300 * day, id: "b", note: "300"), .after(1_000, id: "a", note: "soon"),
            .after(366 * day, id: "c", note: "366"), work("w", tries: 3))
        try bench.report(.failed(reason: "busy", isPermanent: false))
        bench.now.milliseconds += Int64(365 * day)
        try bench.wake()
        try bench.settle()
        #expect(try bench.log() == ["soon", "300"])
        #expect(bench.atWork == ["work x 2"])
        // After the repair, it waits for its original time.
        bench.now.milliseconds -= Int64(365 * day)
        try bench.advance(by: Int64(366 * day) - 1)
        #expect(try bench.log() == ["soon", "300"])
        try bench.advance(by: 1)
        #expect(try bench.log() == ["soon", "300", "366"])
    }

    // MARK: Machines that aren't loaded

    @Test func `effects of a machine that isn't hosted wait for it`() throws {
        let store = MemoryStore()
        let before = try EffectBench(store: store)
        try before.plan(
            .after(100, id: "t", note: "time"), work(), .ask(id: "q", milliseconds: 200),
            .start("lab", id: "kid", instance: "k", note: nil, detached: false),
            .sequence([.after(50, id: "s", note: "one"), .apply("two")]))
        let rows = try before.rows()
        let without = try EffectBench([], store: store)
        without.now = before.now
        #expect(without.atWork == [])
        try without.advance(by: 10_000)
        try without.ask(.stop(named("lab/k"), reason: "enough"))
        try without.advance(by: 10_000)
        #expect(try without.rows().count == rows.count)
        #expect(try without.got("lab/a").effects.count == 5)

        let after = try EffectBench(store: store)
        after.now = without.now
        #expect(after.atWork == ["work x 1"])
        // Effects that became due meanwhile are checked once a minute.
        try after.advance(by: 60_000)
        try after.report(.completed(1))
        #expect(
            try after.log().sorted() == [
                "got 1", "kid failed: lab/k was stopped: enough", "one",
                "q failed: no answer came in time", "time", "two",
            ])
        #expect(try after.rows() == [])
    }

    @Test func `answers to a machine that isn't hosted are refused, not lost`() throws {
        let store = MemoryStore()
        let before = try EffectBench(store: store)
        try before.plan(.ask(id: "q", milliseconds: nil))
        let row = try #require(try store.effects(after: nil, limit: 1).first)
        let text = try #require(row.body.token)
        let token = try #require(EffectToken(text))
        let without = try EffectBench([], store: store)
        for answer in [Operation.EffectAnswer.result(1), .failure("no")] {
            guard case .failure(.noSuchMachine) = try without.ask(.complete(token, answer)) else {
                Issue.record("taken")
                return
            }
        }
        let after = try EffectBench(store: store)
        try after.ask(.complete(token, .result(1)))
        #expect(try after.log() == ["got 1"])
    }

    // MARK: A full disk

    @Test func `refusals show no uncommitted data`() throws {
        let store = FullStore(MemoryStore())
        let bench = try EffectBench(store: store)
        try bench.plan(.ask(id: "q", milliseconds: nil), .after(100, id: "t", note: "time"))
        let row = try #require(try store.effects(after: nil, limit: 1).first)
        let token = try #require(row.body.token.flatMap { EffectToken($0) })
        let name = try named("lab/a")
        store.isFull = true
        func replies(_ operations: Operation...) throws -> [String] {
            try bench.askTogether(operations).map(\.summary)
        }
        let full = "storageFull"
        #expect(try replies(.delete(name), .cancel(name, .effect(1))) == [full, full])
        #expect(try replies(.delete(name), .retry(name, effect: 1)) == [full, full])
        #expect(try replies(.stop(name, reason: nil), .retry(name, effect: 2)) == [full, full])
        #expect(try replies(.delete(name), .complete(token, .result(1))) == [full, full])
        #expect(
            try replies(.complete(token, .result(1)), .complete(token, .result(1)))
                == [full, full])
        #expect(
            try replies(.delete(name), .effects(EffectsQuery(to: name)))
                == [full, "1 asking, 2 sleeping"])
        // Committed records are sent as before.
        #expect(try replies(.retry(name, effect: 9))[0].hasPrefix("noSuchEffect"))
    }

    @Test func `on a full disk due effects are searched once per second`()
        throws
    {
        let store = FullStore(MemoryStore())
        let bench = try EffectBench(store: store)
        try bench.plan(.after(100, id: "t", note: "time"))
        bench.now = Timestamp(milliseconds: bench.now.milliseconds + 100)
        store.isFull = true
        try bench.wake()
        #expect(bench.engine.nextDue == Timestamp(milliseconds: bench.now.milliseconds + 1_000))
        #expect(try bench.log() == [])
        store.isFull = false
        try bench.advance(by: 1_000)
        #expect(try bench.log() == ["time"])
    }
}
