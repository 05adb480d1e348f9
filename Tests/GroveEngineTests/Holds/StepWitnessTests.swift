import GroveEngine
import OrderedJSON
import Testing
import Transducers

@Suite("the witness of machine code")
struct StepWitnessTests {
    private func engine() throws -> (EngineHarness, WitnessRecorder) {
        let recorder = WitnessRecorder()
        var options = EngineOptions()
        options.witness = recorder
        return (try EngineHarness(options: options), recorder)
    }

    @Test func `the witness records an event before its step, and clears it after`() throws {
        let (harness, recorder) = try engine()
        _ = try harness.send("counter/a", #""increment""#)
        #expect(recorder.take() == [#"counter/a 0 "increment""#, "end"])
        _ = try harness.send("counter/a", #""nonsense""#)
        #expect(recorder.take().last == "end", "also one that is refused")
        _ = try harness.get("counter/a")
        #expect(recorder.take() == [], "to read is no code of a machine")
    }

    @Test func `the witness records effects with their number, per instance`()
        throws
    {
        let (harness, recorder) = try engine()
        _ = try harness.send("order/o", #"{"type":"place","total":30}"#)
        _ = recorder.take()
        harness.now = Timestamp(milliseconds: harness.now.milliseconds + 1_000_000_000)
        try harness.engine.enqueueDue(at: harness.now, store: harness.store)
        _ = try harness.flush()
        let notes = recorder.take()
        #expect(notes.first == "order/o 1 ")
        #expect(notes.contains(#"order/o 1 "expire""#))
        #expect(notes.last == "end")
    }

    @Test func `the witness records states that code names, except set-aside ones`()
        throws
    {
        let recorder = WitnessRecorder()
        var options = EngineOptions()
        options.witness = recorder
        let harness = try EngineHarness(
            [Definition(Named.self, named: "named", version: "1")], options: options)
        _ = try harness.send("named/a", #""add""#)
        _ = try harness.send("named/b", #""add""#)
        _ = recorder.take()
        var list = List()
        list.machine = "named"
        list.state = "some"
        func listed() throws -> [String] {
            guard case .listed(let items, _) = try harness.ask(.list(list)) else { return ["?"] }
            return items.map(\.name.text)
        }
        #expect(try listed() == ["named/a", "named/b"])
        #expect(recorder.take() == ["named/a 0 ", "end", "named/b 0 ", "end"])
        harness.engine.setAside(
            .instance(try harness.instance("named/a")), reason: "a trap", definitionVersion: "1",
            at: harness.now, store: harness.store)
        _ = try harness.flush()
        #expect(try listed() == ["named/b"])
        #expect(recorder.take() == ["named/b 0 ", "end"])
        _ = try harness.ask(.describe(Describe(.machine("named"), format: .dot)))
        let looked = recorder.take()
        #expect(looked.contains("named/b 0 ") && !looked.contains("named/a 0 "))
        #expect(looked.contains("named/* 0 "), "to try it out is code of it as well")
        harness.engine.undescribed = ["named"]
        guard
            case .described(let described) = try harness.ask(
                .describe(Describe(.machine("named"), format: .dot)))
        else { throw Problem("not described") }
        #expect(!recorder.take().contains("named/* 0 "))
        #expect(described.machine.events.contains("add"), "as it was observed")
        _ = try harness.ask(
            .await(Await(to: try harness.instance("named/b"), until: .state("some"), timeout: 1)))
        #expect(recorder.take() == ["named/b 0 ", "end"])
    }

    @Test func `the witness records reading another event for an effect`() throws {
        let (harness, recorder) = try engine()
        _ = try harness.send("order/o", #"{"type":"place","total":30}"#)
        _ = recorder.take()
        _ = try harness.ask(
            .retry(try harness.instance("order/o"), effect: 1, event: .string("nonsense")))
        #expect(recorder.take() == ["order/o 1 ", "end"])
    }

    /// Names its states in code.
    private enum Named: Transducer, InitialState, DescribedTransducer {
        struct State: NonTerminal, Codable, Sendable { var count = 0 }
        enum Event: String, Codable, Sendable, CaseIterable { case add }
        static let initialState = State()
        static func name(of state: State) -> String? { state.count == 0 ? "none" : "some" }
        static func update(_ state: inout State, event: Event) -> Int {
            state.count += 1
            return state.count
        }
    }

    @Test func `the witness records states read at a start, except set-aside ones`() throws {
        let (harness, recorder) = try engine()
        for name in ["a", "b", "c"] { _ = try harness.send("counter/\(name)", #""increment""#) }
        _ = try harness.send("turnstile/t", #""COIN""#)
        for subject in [
            HoldSubject.instance(try harness.instance("counter/b")), .machine("turnstile"),
        ] {
            harness.engine.setAside(
                subject, reason: "a trap", definitionVersion: "1", at: harness.now,
                store: harness.store)
        }
        _ = try harness.flush()
        _ = recorder.take()
        var inspection = harness.engine.inspection()
        while try inspection.turn(store: harness.store).hasMore {}
        #expect(recorder.take() == ["counter/a 0 ", "end", "counter/c 0 ", "end"])
    }

    @Test func `a trap has the content of its slot`() throws {
        let name = try #require(InstanceName("counter/a"))
        let trap = Trap(name: name, effectNumber: 3, event: "add", signal: 4)
        #expect(
            trap.name == name && trap.effectNumber == 3 && trap.event == "add" && trap.signal == 4)
    }
}
