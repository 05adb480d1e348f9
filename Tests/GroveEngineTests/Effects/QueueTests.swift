import GroveEngine
import OrderedJSON
import Testing

@Suite("Queues of hosted machines")
struct QueueTests {
    private func queued(_ line: Lab.Line, _ note: String, spacing: Int = 0) -> Lab.Plan {
        .queued(line, note: note, spacing: spacing)
    }

    @Test func `newest(1) of 3: the last; newest(2) of 4: the last two`() throws {
        let bench = try EffectBench()
        try bench.plan(queued(.newest1, "a"), queued(.newest1, "b"), queued(.newest1, "c"))
        #expect(bench.atWork == ["work c 1"])
        try bench.plan(
            queued(.newest2, "1"), queued(.newest2, "2"), queued(.newest2, "3"),
            queued(.newest2, "4"))
        #expect(bench.atWork == ["work c 1", "work 3 1", "work 4 1"])
    }

    @Test func `oldest(2, discard): the third runs no code`() throws {
        let bench = try EffectBench()
        try bench.plan(queued(.discard2, "a"), queued(.discard2, "b"), queued(.discard2, "c"))
        #expect(bench.atWork == ["work a 1", "work b 1"])
        #expect(try bench.rows() == ["active a", "active b"])
    }

    @Test func `oldest(1, suspend): second after first, also in another process`() throws {
        let bench = try EffectBench()
        try bench.plan(queued(.suspend1, "a"), queued(.suspend1, "b"), queued(.suspend1, "c"))
        #expect(bench.atWork == ["work a 1"])
        try bench.report(.completed("a"))
        #expect(bench.atWork == ["work b 1"])
        try bench.restart()
        #expect(bench.atWork == ["work b 1"])
        #expect(try bench.rows() == ["active b", "waiting c"])
        try bench.report(.completed("b"))
        try bench.report(.completed("c"))
        #expect(try bench.log() == ["a", "b", "c"])
    }

    @Test func `a waiting one cancelled never runs, and cancel-all reaches waiting ones`() throws {
        let bench = try EffectBench()
        try bench.plan(queued(.suspend1, "a"), queued(.suspend1, "b"), queued(.suspend1, "c"))
        try bench.plan(.cancel("b"))
        #expect(try bench.rows() == ["active a", "waiting c"])
        try bench.plan(.cancelAll)
        #expect(try bench.rows() == [])
        try bench.stopCancelled()
        #expect(bench.atWork == [])
    }

    @Test func `cancelling the running one starts the waiting one`() throws {
        let bench = try EffectBench()
        try bench.plan(queued(.suspend1, "a"), queued(.suspend1, "b"))
        try bench.plan(.cancel("a"))
        try bench.stopCancelled()
        #expect(bench.atWork == ["work b 1"])
    }

    @Test func `a full queue is a failure for the machine, and the others continue`() throws {
        let bench = try EffectBench()
        let plans = (0...1_025).map { queued(.suspend1, "\($0)") }
        for part in [plans[..<600], plans[600...]] { try bench.send(.plan(.all(Array(part)))) }
        try bench.settle()
        #expect(try bench.log().count == 1)
        #expect(try bench.log()[0].hasPrefix("1025 failed: "))
        try bench.report(.completed("0"))
        #expect(bench.atWork == ["work 1 1"])
    }

    @Test func `priority orders those that wait, across a restart too`() throws {
        let bench = try EffectBench()
        try bench.plan(queued(.suspend1, "a"), queued(.suspend1, "b"), queued(.suspend1, "c"))
        try bench.plan(.urgent(.suspend1, note: "u"))
        try bench.restart()
        for name in ["a", "u", "b", "c"] {
            #expect(bench.atWork == ["work \(name) 1"])
            try bench.report(.completed(.string(name)))
        }
        #expect(try bench.log() == ["a", "u", "b", "c"])
    }

    @Test func `capacity raised starts waiting ones`() throws {
        let bench = try EffectBench()
        try bench.plan(queued(.suspend1, "a"), queued(.suspend1, "b"), queued(.suspend1, "c"))
        try bench.plan(.widen(.suspend1))
        #expect(bench.atWork == ["work a 1", "work b 1"])
    }

    @Test func `an effect holds its place with its pauses between attempts`() throws {
        let bench = try EffectBench()
        try bench.plan(queued(.suspend1, "a"), queued(.suspend1, "b"))
        try bench.report(.failed(reason: "no", isPermanent: false))
        #expect(bench.atWork == ["work b 1"])
    }

    @Test func `spacing d: starts at 0, d, 2d; cancelled before its time never runs`() throws {
        let bench = try EffectBench()
        try bench.plan(
            queued(.suspend2, "a", spacing: 100), queued(.suspend2, "b", spacing: 100))
        #expect(bench.atWork == ["work a 1"])
        try bench.advance(by: 99)
        #expect(bench.atWork == ["work a 1"])
        try bench.advance(by: 1)
        #expect(bench.atWork == ["work a 1", "work b 1"])
        try bench.report(.completed("a"))
        try bench.plan(queued(.suspend2, "c", spacing: 100))
        try bench.advance(by: 50)
        try bench.plan(.cancel("c"))
        try bench.advance(by: 1_000)
        #expect(bench.atWork == ["work b 1"])
    }
}
