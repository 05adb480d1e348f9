import GroveEngine
import OrderedJSON
import Testing

@Suite("Handlers of hosted machines")
struct HandlerTests {
    private func work(_ id: String? = "w", tries: Int = 1, policy: String = "replace") -> Lab.Plan {
        .perform("work", id: id, then: "got", tries: tries, policy: policy)
    }

    @Test func `a result becomes the event that the effect names`() throws {
        let bench = try EffectBench()
        try bench.plan(work())
        #expect(bench.atWork == ["work x 1"])
        #expect(try bench.rows() == ["active w"])
        try bench.report(.completed(["sum": 7]))
        #expect(try bench.log() == [#"got {"sum":7}"#])
        #expect(try bench.rows() == [])
        #expect(bench.takeNotes() == ["started w", "completed w"])
    }

    @Test func `without a name the result is the event, and null is none`() throws {
        let bench = try EffectBench()
        let plan = Lab.Plan.perform("work", id: "w", then: nil, tries: 1, policy: "replace")
        try bench.plan(plan)
        try bench.report(.completed(["type": "note", "value": "hello"]))
        try bench.plan(plan)
        try bench.report(.completed(.null))
        #expect(try bench.log() == ["hello"])
        #expect(try bench.rows() == [])
    }

    @Test func `a result that is no event of the machine is a failure`() throws {
        let bench = try EffectBench()
        try bench.plan(.perform("work", id: "w", then: "nonsense", tries: 5, policy: "replace"))
        try bench.report(.completed(1))
        let log = try bench.log()
        #expect(log.count == 1)
        #expect(log[0].hasPrefix("w failed: the result is no event of this machine"))
        #expect(bench.atWork == [])
    }

    @Test func `an attempt isn't repeated before the time that its handler gave`() throws {
        let bench = try EffectBench()
        try bench.plan(work(tries: 2))
        try bench.report(.failed(reason: "busy", isPermanent: false), pause: 7_000)
        try bench.advance(by: 6_999)
        #expect(bench.atWork == [])
        try bench.advance(by: 1)
        #expect(bench.atWork == ["work x 2"])
        try bench.report(.failed(reason: "busy", isPermanent: false), pause: 7_000)
        #expect(try bench.log() == ["w failed: busy"])
    }

    @Test func `a handler that fails is retried after longer and longer pauses`() throws {
        let bench = try EffectBench()
        try bench.plan(work(tries: 3))
        try bench.report(.failed(reason: "busy", isPermanent: false))
        #expect(try bench.rows() == ["sleeping w"])
        try bench.advance(by: 999)
        #expect(bench.atWork == [])
        try bench.advance(by: 1)
        #expect(bench.atWork == ["work x 2"])
        try bench.report(.failed(reason: "busy", isPermanent: false))
        try bench.advance(by: 2_000)
        #expect(bench.atWork == ["work x 3"])
        try bench.report(.failed(reason: "broken", isPermanent: false))
        #expect(try bench.log() == ["w failed: broken"])
        #expect(try bench.rows() == [])
        #expect(
            bench.takeNotes() == [
                "started w", "retrying w busy", "started w", "retrying w busy", "started w",
                "failed w broken",
            ])
    }

    @Test func `a permanent failure isn't retried`() throws {
        let bench = try EffectBench()
        try bench.plan(work(tries: 3))
        try bench.report(.failed(reason: "no such account", isPermanent: true))
        #expect(try bench.log() == ["w failed: no such account"])
    }

    @Test func `handler gives up: effectFailed, instance lives; without an event it is kept`()
        throws
    {
        let bench = try EffectBench()
        try bench.plan(work(nil))
        try bench.report(.failed(reason: "broken", isPermanent: true))
        #expect(try bench.rows() == ["failed -"])
        try bench.send(.note("alive"))
        #expect(try bench.log() == ["alive"])
    }

    @Test func `after a crash the same attempt runs again, under the same key`() throws {
        let bench = try EffectBench()
        try bench.plan(work())
        let first = try bench.takeDispatched()
        try bench.restart()
        let second = try bench.takeDispatched()
        #expect(first.key == second.key)
        #expect(first.attempt == second.attempt)
        try bench.report(.completed(1), of: second)
        // A late report of the process that crashed.
        #expect(try bench.report(.completed(2), of: first) == false)
        #expect(try bench.log() == ["got 1"])
    }

    @Test func `replace: the first run's late result is stale`() throws {
        let bench = try EffectBench()
        try bench.plan(work())
        let first = try bench.takeDispatched()
        try bench.plan(work())
        #expect(bench.cancelled == [first.ref])
        _ = bench.takeNotes()
        #expect(try bench.report(.completed(1), of: first) == false)
        #expect(bench.takeNotes() == ["stale"])
        try bench.report(.completed(2))
        #expect(try bench.log() == ["got 2"])
    }

    @Test func `coexist: both arrive; keep oldest: the new one runs no code`() throws {
        let bench = try EffectBench()
        try bench.plan(work(policy: "coexist"), work(policy: "coexist"))
        try bench.report(.completed(1))
        try bench.report(.completed(2))
        #expect(try bench.log() == ["got 1", "got 2"])
        try bench.plan(work(policy: "keepOldest"), work(policy: "keepOldest"), at: "lab/b")
        #expect(bench.atWork == ["work x 1"])
        try bench.report(.completed(3))
        #expect(try bench.log(of: "lab/b") == ["got 3"])
    }

    @Test func `streaming handlers' events are applied once each, also by number after a crash`()
        throws
    {
        let bench = try EffectBench()
        try bench.plan(work())
        let first = try bench.takeDispatched()
        #expect(try bench.report(.emitted(1, number: 1), of: first) == true)
        #expect(try bench.report(.emitted(2, number: 2), of: first) == true)
        try bench.restart()
        let second = try bench.takeDispatched()
        #expect(second.delivered == 2)
        // A handler restarts: results that were applied before are skipped.
        #expect(try bench.report(.emitted(2, number: 2), of: second) == true)
        #expect(try bench.report(.emitted(3, number: 3), of: second) == true)
        try bench.report(.completed(4), of: second)
        #expect(try bench.log() == ["got 1", "got 2", "got 3", "got 4"])
    }

    @Test func `the running attempts of a handler are bounded, and all run`()
        throws
    {
        let bench = try EffectBench(concurrency: 3)
        for number in 0..<10 { try bench.plan(work(), at: "lab/i\(number)") }
        #expect(bench.dispatched.count == 3)
        for _ in 0..<10 {
            #expect(bench.dispatched.count <= 3)
            try bench.report(.completed(1))
        }
        for number in 0..<10 { #expect(try bench.log(of: "lab/i\(number)") == ["got 1"]) }
    }

    @Test func `the running attempts are bounded after a crash, and all run`() throws {
        let bench = try EffectBench(concurrency: 3)
        for number in 0..<10 { try bench.plan(work(), at: "lab/i\(number)") }
        try bench.restart()
        #expect(bench.dispatched.count == 3)
        for _ in 0..<10 { try bench.report(.completed(1)) }
        #expect(bench.dispatched.isEmpty)
        for number in 0..<10 { #expect(try bench.log(of: "lab/i\(number)") == ["got 1"]) }
    }

    @Test func `a step that asks for an unknown handler is refused, with its name`() throws {
        let bench = try EffectBench()
        try bench.send(.note("before"))
        let plan = Lab.Plan.perform("fax", id: "f", then: nil, tries: 1, policy: "replace")
        let reply = try bench.plan(plan)
        guard case .failure(.evaluation(let message)) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(message.contains("\"fax\""))
        #expect(try bench.log() == ["before"])
        try bench.send(.note("after"))
        #expect(try bench.log() == ["before", "after"])
    }

    @Test func `effects of a handler that a downgrade removed wait for it`()
        throws
    {
        let store = MemoryStore()
        let before = try EffectBench(store: store, handlers: ["work", "undo"])
        try before.plan(work())
        let without = try EffectBench(store: store, handlers: ["undo"])
        #expect(without.atWork == [])
        #expect(try without.rows() == ["active w"])
        let after = try EffectBench(store: store, handlers: ["work", "undo"])
        #expect(after.atWork == ["work x 1"])
        try after.report(.completed(1))
        #expect(try after.log() == ["got 1"])
    }

    @Test func `a terminal transition's effect runs once, its result isn't applied`() throws {
        let bench = try EffectBench()
        try bench.plan(work("old"))
        try bench.send(.end(work("last")))
        try bench.stopCancelled()
        #expect(bench.atWork == ["work x 1"])
        try bench.report(.completed(1))
        #expect(try bench.log() == [])
        #expect(try bench.rows() == [])
        #expect(bench.atWork == [])
    }

    @Test func `a full disk loses no report: it is applied when there is room`() throws {
        let store = FullStore(MemoryStore())
        let bench = try EffectBench(store: store)
        try bench.plan(work())
        store.isFull = true
        let issue = try bench.takeDispatched()
        #expect(try bench.report(.completed(1), of: issue) == nil)
        try bench.advance(by: 10_000)
        store.isFull = false
        try bench.send(.note("room"))
        #expect(try bench.log() == ["room"])
        try bench.advance(by: 1_000)
        #expect(try bench.log() == ["room", "got 1"])
        #expect(bench.atWork == [])
    }

    @Test func `on a full disk, due effects are tried once per second`() throws {
        let store = FullStore(MemoryStore())
        let bench = try EffectBench(store: store)
        try bench.plan(.after(10, id: "t", note: "rang"), work())
        store.isFull = true
        let issue = try bench.takeDispatched()
        try bench.report(.completed(1), of: issue)
        try bench.report(.completed(2), of: issue)
        // Batches without reports are given up, too, and lose none.
        try bench.send(.note("no room"))
        let before = try bench.fullDisks()
        try bench.advance(by: 30_000)
        #expect(try bench.fullDisks() - before <= 31)
        store.isFull = false
        try bench.advance(by: 2_000)
        #expect(try bench.log() == ["got 1", "rang"])
    }

    @Test func `on a full disk, reads don't try due effects more often`() throws {
        let store = FullStore(MemoryStore())
        let bench = try EffectBench(store: store)
        try bench.plan(.after(10, id: "t", note: "rang"))
        store.isFull = true
        try bench.advance(by: 10)
        let pause = bench.engine.nextDue
        #expect(pause == Timestamp(milliseconds: bench.now.milliseconds + 1_000))
        _ = try bench.got("lab/a")
        #expect(bench.engine.nextDue == pause)
        store.isFull = false
        try bench.advance(by: 1_000)
        #expect(try bench.log() == ["rang"])
    }

    @Test func `a result that breaks the machine is kept with the effect, and can be retried`()
        throws
    {
        let bench = try EffectBench()
        let plan = Lab.Plan.perform("work", id: "w", then: nil, tries: 1, policy: "replace")
        try bench.plan(plan)
        try bench.report(.completed("breakDown"))
        #expect(try bench.rows() == ["failed w"])
        #expect(bench.takeNotes().last?.hasPrefix("failed w its result can't be applied") == true)
        guard let lab = InstanceName("lab/a") else { return }
        _ = try bench.ask(.retry(lab, effect: 1))
        try bench.report(.completed(["type": "note", "value": "mended"]))
        #expect(try bench.log() == ["mended"])
        #expect(try bench.rows() == [])
    }

    @Test func `a result that the state refuses is reported, and the effect ends`() throws {
        let bench = try EffectBench()
        try bench.plan(
            .perform("work", id: "w", then: nil, tries: 1, policy: "replace"))
        try bench.report(.completed("refuse"))
        #expect(bench.takeNotes().last == "refused w the event was rejected: not now")
        #expect(try bench.rows() == [])
    }

    @Test func `effects with too large arguments are refused with their step`() throws {
        let bench = try EffectBench()
        let note = String(repeating: "x", count: 600_000)
        let plans = (1...2).map { Lab.Plan.after(10, id: "\($0)", note: note) }
        guard case .failure(.evaluationLimit(let message)) = try bench.send(.plan(.all(plans)))
        else {
            Issue.record("the step was taken")
            return
        }
        #expect(message.contains("1048576 bytes"))
    }
}
