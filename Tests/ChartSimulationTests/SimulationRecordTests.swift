import CEL
import OrderedJSON
import Statecharts
import Testing

@testable import ChartSimulation

/// The lines of a transcript.
struct SimulationRecordTests {
    @Test func `a line has its word, the address of another instance, and its text`() {
        #expect(SimulationRecord("log", nil, "5", 5).line == "  log       5")
        #expect(SimulationRecord("log", "m/x", "5", 5).line == "  log       m/x 5")
        #expect(SimulationRecord("undelivered", nil, "x", "x").line == "  undelivered x")
        #expect(SimulationRecord("timer", nil, "", "").line == "  timer")
        #expect(
            SimulationRecord("log", "m/x", ["a": 1]).json.description
                == #"{"what":"log","to":"m/x","value":{"a":1}}"#)
    }

    @Test func `the event of a command isn't repeated, others are`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","states":{"a":{"on":{"E":{"send":{"event":"F"}},"F":"b"}},"b":{}}}
                """#.utf8))
        var run = ChartRun(chart, start: CELTimestamp(milliseconds: 0))
        try run.start()
        run.records = []
        try run.send(ChartEvent("E"))
        var writer = SimulationWriter(main: run.address, sent: ("E", run.address), time: run.now)
        for record in run.records { writer.write(record) }
        #expect(writer.records.map(\.line) == ["  event     F", "  state     a -> b"])
    }

    @Test func `a command is an event, or a word after a dot`() throws {
        guard case .event(let event, nil) = try SimulationCommand(#"{"type":"E","n":1}"#) else {
            Issue.record("no event")
            return
        }
        #expect(event.type == "E")
        guard case .wait(milliseconds: 90_000?) = try SimulationCommand(".wait  1m30s") else {
            Issue.record("no length of time")
            return
        }
        // Each word that the help shows is a command.
        for (word, usage, _) in SimulationCommand.words {
            let example = usage.replacing("ADDRESS", with: "m/x").replacing("[30m]", with: "")
                .replacing("[JSON]", with: "").replacing("[CODE [MESSAGE]]", with: "")
            #expect(throws: Never.self, "\(word)") { try SimulationCommand(example) }
        }
    }
}
