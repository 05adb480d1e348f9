import GroveEngine
import Testing

@Suite("Timers of hosted machines")
struct TimerTests {
    @Test func `the event of a timer comes at its time, not before`() throws {
        let bench = try EffectBench()
        try bench.plan(.after(500, id: "t", note: "now"))
        try bench.advance(by: 499)
        #expect(try bench.log() == [])
        #expect(try bench.rows() == ["sleeping t"])
        try bench.advance(by: 1)
        #expect(try bench.log() == ["now"])
        #expect(try bench.rows() == [])
        #expect(bench.takeNotes() == ["started t", "completed t"])
    }

    @Test func `a timer survives the process, and a late one fires at the start`() throws {
        let bench = try EffectBench()
        try bench.plan(
            .after(1_000, id: "t", note: "late"), .after(90_000, id: "u", note: "on time"))
        bench.now = Timestamp(milliseconds: bench.now.milliseconds + 60_000)
        try bench.restart()
        try bench.settle()
        #expect(try bench.log() == ["late"])
        try bench.advance(by: 30_000)
        #expect(try bench.log() == ["late", "on time"])
    }

    @Test func `timers of one moment fire in the order of their starts`() throws {
        let bench = try EffectBench()
        try bench.plan(
            .after(20, id: "a", note: "a"), .after(10, id: "b", note: "b"),
            .after(20, id: "c", note: "c"))
        try bench.advance(by: 100)
        #expect(try bench.log() == ["b", "a", "c"])
    }

    @Test func `starting an id in use replaces the effect`() throws {
        let bench = try EffectBench()
        try bench.plan(.after(100, id: "t", note: "first"))
        try bench.advance(by: 50)
        try bench.plan(.after(100, id: "t", note: "second"))
        try bench.advance(by: 1_000)
        #expect(try bench.log() == ["second"])
    }

    @Test func `cancel then start leaves the new one alive, start then cancel leaves none`() throws
    {
        let bench = try EffectBench()
        try bench.plan(.cancel("t"), .after(10, id: "t", note: "alive"))
        try bench.plan(.after(10, id: "u", note: "dead"), .cancel("u"), at: "lab/b")
        try bench.advance(by: 100)
        #expect(try bench.log() == ["alive"])
        #expect(try bench.log(of: "lab/b") == [])
        #expect(try bench.rows(of: "lab/b") == [])
    }

    @Test func `cancelling by prefix and of all is exact within the commit`() throws {
        let bench = try EffectBench()
        try bench.plan(
            .after(10, id: "mail-1", note: "1"), .after(10, id: "mail-2", note: "2"),
            .after(10, id: "pay", note: "3"), .after(10, id: nil, note: "4"))
        try bench.plan(.prefix("mail"))
        #expect(try bench.rows() == ["sleeping pay", "sleeping -"])
        try bench.plan(.cancelAll)
        #expect(try bench.rows() == [])
        try bench.advance(by: 100)
        #expect(try bench.log() == [])
    }

    @Test func `an instance that ends has no timers any more`() throws {
        let bench = try EffectBench()
        try bench.plan(.after(10, id: "t", note: "never"))
        try bench.send(.end(nil))
        #expect(try bench.rows() == [])
        #expect(bench.engine.nextDue == nil)
    }

    @Test func `a timer with a refused event ends, and says so`() throws {
        let bench = try EffectBench()
        try bench.plan(.sequence([.after(10, id: "t", note: "x"), .apply("y")]))
        try bench.send(.note("busy"))
        try bench.advance(by: 100)
        #expect(try bench.log() == ["busy", "x", "y"])
        #expect(try bench.rows() == [])
    }

    @Test func `a year of a daily timer`() throws {
        let bench = try EffectBench()
        for day in 1...365 {
            try bench.plan(.after(day * 86_400_000, id: "d\(day)", note: "\(day)"))
        }
        try bench.advance(by: 365 * 86_400_000)
        let days = (1...365).map { "\($0)" }
        #expect(try bench.log() == days)
    }

    @Test func `more timers of one moment than fit into a batch all fire, in order`() throws {
        let bench = try EffectBench()
        for number in 0..<500 {
            try bench.plan(.after(1_000, id: "t", note: "\(number)"), at: "lab/i\(number)")
        }
        try bench.advance(by: 1_000)
        for number in 0..<500 {
            #expect(try bench.log(of: "lab/i\(number)") == ["\(number)"])
        }
    }
}
