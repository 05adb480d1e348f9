import GroveEngine
import Testing
import Transducers

@Suite("who is noted while code of a machine runs")
struct StepWitnessTests {
    private func engine() throws -> (EngineHarness, WitnessRecorder) {
        let recorder = WitnessRecorder()
        var options = EngineOptions()
        options.witness = recorder
        return (try EngineHarness(options: options), recorder)
    }

    @Test func `an event is noted before its step, and ended after it`() throws {
        let (harness, recorder) = try engine()
        _ = try harness.send("counter/a", #""increment""#)
        #expect(recorder.take() == [#"counter/a 0 "increment""#, "end"])
        _ = try harness.send("counter/a", #""nonsense""#)
        #expect(recorder.take().last == "end", "also one that is refused")
        _ = try harness.get("counter/a")
        #expect(recorder.take() == [], "to read is no code of a machine")
    }

    @Test func `what an effect leads to is noted with its number, and each instance for itself`()
        throws
    {
        let (harness, recorder) = try engine()
        _ = try harness.send("order/o", #"{"type":"place","total":30}"#)
        _ = recorder.take()
        harness.now = Timestamp(milliseconds: harness.now.milliseconds + 1_000_000_000)
        try harness.engine.takeDue(at: harness.now, store: harness.store)
        _ = try harness.flush()
        let notes = recorder.take()
        #expect(notes.first == "order/o 1 ")
        #expect(notes.contains(#"order/o 1 "expire""#))
        #expect(notes.last == "end")
    }

    @Test func `a trap has what its slot had`() throws {
        let name = try #require(InstanceName("counter/a"))
        let trap = Trap(name: name, run: 3, event: "add", signal: 4)
        #expect(trap.name == name && trap.run == 3 && trap.event == "add" && trap.signal == 4)
    }
}
