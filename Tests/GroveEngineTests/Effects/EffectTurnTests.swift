import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing

/// The bounds of effects per commit.
@Suite("Turns of effects")
struct EffectTurnTests {
    @Test func `the host decides how many due effects are in a commit`() throws {
        let bench = try EffectBench()
        let timers = (0..<50).map { Lab.Plan.after(10, id: "\($0)", note: "\($0)") }
        try bench.plan(.all(timers))
        bench.now = Timestamp(milliseconds: bench.now.milliseconds + 10)
        let first = try bench.wake(looking: 20, upTo: 4)
        #expect(first.done == 4 && first.hasMore)
        #expect(try bench.rows().count == 46)
        let second = try bench.wake(looking: 6, upTo: 100)
        #expect(second.done == 6 && !second.hasMore)
        #expect(try bench.log() == (0..<10).map { "\($0)" })
        let due = bench.engine.nextDue
        #expect(due.map { $0 <= bench.now } == true, "the rest is due")
        try bench.settle()
        #expect(try bench.log() == (0..<50).map { "\($0)" })
    }

    @Test func `rows of effects count among a commit's bytes`() throws {
        let bench = try EffectBench()
        let note = String(repeating: "x", count: 900_000)
        let sends = try (0..<30).map { number in
            try bench.makeSend(
                .plan(.after(60_000, id: nil, note: note)), to: "lab/\(number)")
        }
        // The event, and the row with its argument: nine such pairs are 16 MiB.
        #expect(try bench.burst(sends) < 11)
    }

    @Test func `the number of instances that a commit changes is bounded`() throws {
        let bench = try EffectBench()
        let sends = try (0..<5_000).map { number in
            try bench.makeSend(.note("x"), to: "lab/\(number)")
        }
        #expect(try bench.burst(sends) == 4_096)
    }

    @Test func `the number of effects' rows that a commit changes is bounded`() throws {
        let bench = try EffectBench()
        let timers = (0..<10).map { Lab.Plan.after(60_000, id: "\($0)", note: "x") }
        let sends = try (0..<1_000).map { number in
            try bench.makeSend(.plan(.all(timers)), to: "lab/\(number)")
        }
        #expect(try bench.burst(sends) == 410)
    }

    @Test func `the bytes of an instance's effects are bounded`() throws {
        let bench = try EffectBench()
        let note = String(repeating: "x", count: 900_000)
        for _ in 0..<18 { try bench.plan(.after(60_000, id: "big", note: note)) }
        #expect(try bench.rows().count == 1, "what was replaced doesn't count")
        try bench.plan(.cancelAll)
        for _ in 0..<18 { try bench.plan(.after(60_000, id: nil, note: note)) }
        let refused = try bench.plan(.after(60_000, id: nil, note: note))
        guard case .failure(.evaluationLimit(let message)) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(message.contains("16777216 bytes"))
        try bench.restart()
        guard case .failure = try bench.plan(.after(60_000, id: nil, note: note)) else {
            Issue.record("it isn't counted when it is read")
            return
        }
        try bench.plan(.cancelAll)
        try bench.plan(.after(60_000, id: nil, note: note))
        #expect(try bench.rows().count == 1)
    }

    @Test func `a long sequence keeps its order, and ends with a refused part`() throws {
        let bench = try EffectBench()
        let parts = (0..<150).map { number in
            number == 140 ? Lab.Plan.refuse : .after(1, id: nil, note: "\(number)")
        }
        try bench.plan(.sequence(parts))
        try bench.advance(by: 1_000)
        #expect(try bench.log() == (0..<140).map { "\($0)" })
        #expect(try bench.rows() == [])
    }

    @Test func `more undoings than one row holds all run, the last effect's first`() throws {
        let bench = try EffectBench()
        for number in 0..<80 {
            try bench.plan(.undoable("work", id: "\(number)"))
            try bench.report(.completed(1))
        }
        try bench.plan(.compensate)
        try bench.settle()
        var undone: [String] = []
        while let issue = bench.dispatched.first {
            undone.append(issue.argument.string ?? "?")
            // A failed one doesn't prevent others.
            let failed = EffectReport.Outcome.failed(reason: "no", isPermanent: true)
            try bench.report(undone.count == 40 ? failed : .completed(1))
        }
        #expect(undone == (0..<80).reversed().map { "\($0)" })
    }

    @Test func `the writes of a sequence don't grow with the square of its length`() throws {
        func written(_ count: Int) throws -> Int {
            let store = WrittenEffects(MemoryStore())
            let bench = try EffectBench(store: store)
            let note = String(repeating: "x", count: 200)
            try bench.plan(
                .sequence((0..<count).map { _ in .after(1, id: nil, note: note) }))
            store.bytes = 0
            try bench.advance(by: Int64(10 * count))
            #expect(try bench.log().count == count)
            return store.bytes
        }
        #expect(try written(800) < 20 * written(100))
    }
}

/// Counts the bytes of written effect rows.
private final class WrittenEffects: ForwardingStore {
    var bytes = 0

    override func commit(_ writes: WriteSet) throws(StoreError) {
        for write in writes.effects {
            bytes += try write.row?.encodedBody().count ?? 0
        }
        try super.commit(writes)
    }
}
