import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing

/// What has no business to happen, and what must not come of it.
@Suite("Effects among faults")
struct EffectFaultTests {
    private func work(_ id: String = "w", then: String? = "got", tries: Int = 1) -> Lab.Plan {
        .perform("work", id: id, then: then, tries: tries, policy: "replace")
    }

    private func named(_ name: String) throws -> InstanceName {
        try #require(InstanceName(name))
    }

    // MARK: Crashes

    @Test func `a parent's end reaches more children than one batch stops, across a crash`() throws
    {
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

    @Test func `an effect that comes behind the search for work gets its turn all the same`() throws
    {
        let bench = try EffectBench(concurrency: 1)
        for name in ["a", "b", "c"] { try bench.send(.note("x"), to: "lab/\(name)") }
        try bench.plan(work(), at: "lab/b")
        try bench.plan(work(), at: "lab/c")
        // The search in the store is behind `a` now, and only then does `a` ask for something.
        try bench.report(.completed(1))
        try bench.plan(work(), at: "lab/a")
        try bench.report(.completed(1))
        #expect(bench.atWork == ["work x 1"])
        try bench.report(.completed(1))
        for name in ["a", "b", "c"] {
            #expect(try bench.log(of: "lab/\(name)") == ["x", "got 1"])
        }
    }

    // MARK: Machines that aren't loaded

    @Test func `effects of a machine that isn't loaded wait for it to come back`() throws {
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
        try after.settle()
        #expect(after.atWork == ["work x 1"])
        try after.report(.completed(1))
        #expect(
            try after.log().sorted() == [
                "got 1", "kid failed: lab/k was stopped: enough", "one",
                "q failed: no answer came in time", "time", "two",
            ])
        #expect(try after.rows() == [])
    }

    @Test func `what a machine that isn't loaded is told from outside is refused, not lost`() throws
    {
        let store = MemoryStore()
        let before = try EffectBench(store: store)
        try before.plan(.ask(id: "q", milliseconds: nil))
        let row = try #require(try store.effects(after: nil, limit: 1).first)
        let text = try #require(row.body.token)
        let token = try #require(EffectToken(text))
        let without = try EffectBench([], store: store)
        for answer in [EffectAnswer.result(1), .failure("no")] {
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

    @Test func `while the disk is full what is due is looked at once a second, not all the time`()
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

    @Test func `a report lost to a full disk is asked for again by itself`() throws {
        let store = FullStore(MemoryStore())
        let bench = try EffectBench(store: store)
        try bench.plan(work())
        store.isFull = true
        #expect(try bench.report(.completed(1), of: bench.takeIssued()) == false)
        store.isFull = false
        // Nobody asks for anything: time alone has to bring it on.
        try bench.advance(by: 1_000)
        #expect(bench.atWork == ["work x 1"])
        try bench.report(.completed(1))
        #expect(try bench.log() == ["got 1"])
    }
}
