import GroveEngine
import OrderedJSON
import Testing

@Suite("A periodic machine on a host")
struct PeriodicTests {
    let bench: EffectBench
    let clock = "periodic/p"

    /// The machine ticks every second.
    init() throws {
        bench = try EffectBench.builtIn()
        try bench.send(["type": "start", "every_ms": 1_000], to: clock)
        #expect(bench.takeOutputs(of: clock) == [#"{"type":"started","every_ms":1000}"#])
    }

    private func ticks() -> [String] {
        bench.takeOutputs(of: clock).filter { $0.hasPrefix(#"{"type":"tick""#) }
            .map { $0.filter(\.isNumber) }
    }

    @Test func `ticks at its interval until it is stopped`() throws {
        try bench.advance(by: 3_999)
        #expect(ticks() == ["1", "2", "3"])
        #expect(try bench.rows(of: clock) == ["sleeping tick"])
        try bench.send("stop", to: clock)
        #expect(bench.takeOutputs(of: clock) == [#"{"type":"stopped","ticks":3}"#])
        try bench.advance(by: 10_000)
        #expect(ticks() == [])
        #expect(try bench.rows(of: clock) == [])
    }

    @Test func `continues after a crash without losing its count`() throws {
        try bench.advance(by: 1_500)
        try bench.restart()
        try bench.advance(by: 499)
        #expect(ticks() == ["1"])
        try bench.advance(by: 1)
        #expect(ticks() == ["2"])
    }

    @Test func `after a time without the host, one missed tick comes`() throws {
        bench.now = Timestamp(milliseconds: bench.now.milliseconds + 10_500)
        try bench.restart()
        try bench.settle()
        #expect(ticks() == ["1"])
        // A tick schedules the next one when it is applied.
        try bench.advance(by: 999)
        #expect(ticks() == [])
        try bench.advance(by: 1)
        #expect(ticks() == ["2"])
    }

    @Test func `a new interval starts at once, and the old tick doesn't come`() throws {
        try bench.advance(by: 1_900)
        #expect(ticks() == ["1"])
        try bench.send(["type": "start", "every_ms": 300], to: clock)
        #expect(try bench.rows(of: clock) == ["sleeping tick"])
        try bench.advance(by: 299)
        #expect(ticks() == [])
        try bench.advance(by: 301)
        #expect(ticks() == ["2", "3"])
    }

    @Test func `sends its ticks to a counter, each once, also across a crash`() throws {
        try bench.send(
            ["type": "start", "every_ms": 1_000, "to": "counter/c", "event": "increment"],
            to: clock)
        try bench.advance(by: 2_500)
        #expect(bench.takeOutputs(of: "counter/c") == ["1", "2"])
        try bench.restart()
        try bench.advance(by: 1_000)
        #expect(bench.takeOutputs(of: "counter/c") == ["3"])
        #expect(try bench.rows(of: clock) == ["sleeping tick"])
    }

    @Test func `continues when its event is refused, and keeps the failure`() throws {
        try bench.send(
            ["type": "start", "every_ms": 1_000, "to": "turnstile/t", "event": "PUSH"], to: clock)
        try bench.advance(by: 2_000)
        #expect(ticks() == ["1", "2"])
        #expect(try bench.rows(of: clock).filter { $0.hasPrefix("failed") }.count == 2)
    }

    @Test func `a tick by hand is an early tick`() throws {
        try bench.advance(by: 500)
        try bench.send("tick", to: clock)
        try bench.advance(by: 999)
        #expect(ticks() == ["1"])
        try bench.advance(by: 1)
        #expect(ticks() == ["2"])
    }
}
