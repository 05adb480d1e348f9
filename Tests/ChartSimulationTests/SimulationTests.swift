import OrderedJSON
import Statecharts
import Testing

@testable import ChartSimulation

/// Commands of a simulation, and what they show.
struct SimulationTests {
    private static let order = #"""
        {"id":"order","initial":"cart","strict":true,"context":{"paid":0},
         "events":{"PAY":{"type":"object","required":["amount"],
           "properties":{"amount":{"type":"integer","minimum":1}}},"SHIP":{},"LATER":{}},
         "states":{
           "cart":{"on":{"PAY":{"assign":{"paid":"context.paid + event.amount"},
               "emit":{"type":"paid","sum":"context.paid"}},
             "SHIP":{"guard":"context.paid > 5","target":"shipping"}},
             "after":{"30m":"expired"},"defer":["LATER"]},
           "shipping":{"invoke":{"id":"ship","src":"http","method":"POST",
             "url":"https://carrier.example/ship","body":{"order":"self.id"},
             "onDone":{"target":"done","emit":{"type":"shipped","track":"event.output.track"}},
             "onError":"manual"}},
           "manual":{"on":{"LATER":{"log":{"label":"why","value":"event.type"}}}},
           "expired":{"type":"final"},"done":{"type":"final"}}}
        """#

    private func simulation(
        _ chart: String = order, machines: [String: String] = [:]
    ) throws -> Simulation {
        Simulation(
            try Chart(parsing: Array(chart.utf8)),
            machines: try machines.mapValues { try Chart(parsing: Array($0.utf8)) })
    }

    /// The lines of all commands.
    private func lines(_ simulation: Simulation, _ commands: [String]) -> [String] {
        var simulation = simulation
        return commands.flatMap { command -> [String] in
            let result = simulation.perform(command)
            return result.records.map(\.line) + (result.fault.map { ["! " + $0] } ?? [])
        }
    }

    @Test func `an event shows states, context, outputs and requests`() throws {
        let shown = lines(
            try simulation(),
            [
                ".start", "PAY {\"amount\":6}", "SHIP", ".next",
                ".answer ship {\"track\":\"T1\"}", ".state",
            ])
        #expect(
            shown == [
                "  state     cart", "  context   paid 0", "  context   paid 0 -> 6",
                #"  output    {"type":"paid","sum":6}"#, "  state     cart -> shipping",
                "  asks      ship http POST https://carrier.example/ship {\"order\":\"main\"}",
                "  answer    ship",
                "  event     done.invoke.ship {\"output\":{\"track\":\"T1\"}}",
                "  state     shipping -> done", #"  output    {"type":"shipped","track":"T1"}"#,
                "  done      null", "  time      2026-01-01T00:00:00Z",
                #"  state     {"value":"done","context":{"paid":6},"serial":1,"finished":true}"#,
            ])
    }

    @Test func `a machine starts by itself before its first event`() throws {
        #expect(
            lines(try simulation(), ["", "# comment", "SHIP"]) == [
                "  state     cart", "  context   paid 0",
                "  refused   EVENT_REJECTED: no guard of a transition on 'SHIP' is true now",
            ])
    }

    @Test func `time passes only by a command, and shows when`() throws {
        let shown = lines(try simulation(), [".start", ".wait 10m", ".wait", ".wait", ".next"])
        #expect(
            shown.dropFirst(2) == [
                "  time      2026-01-01T00:30:00Z", "  timer     cart",
                "  state     cart -> expired", "  done      null",
                "! nothing is due: write .wait 30m to let time pass",
                "  nothing   the machine is done",
            ])
    }

    @Test func `requests fail, deferred events wait, and a step back is possible`() throws {
        let shown = lines(
            try simulation(),
            [
                "PAY {\"amount\":9}", "SHIP", ".fail ship DOWN it broke", ".undo",
                ".fail ship", ".undo", ".undo", "LATER", "SHIP", ".fail ship",
            ])
        #expect(shown.contains("  state     shipping -> manual"))
        #expect(
            shown.contains(
                #"  event     error.invoke.ship {"error":{"code":"DOWN","message":"it broke"}}"#))
        #expect(shown.contains("  deferred  until a state takes it"))
        #expect(shown.last == #"  log       why: "LATER""#)
    }

    @Test(arguments: [
        (".wait soon", "'soon' is no length of time: write 30s, 500ms, 1h30m or P7D"),
        (".answer", "write .answer ID [JSON]"), (".answer x", "nothing waits for an answer"),
        (".fly", "there is no command '.fly'; .help shows all"), (".undo", "nothing to undo"),
        (".to cart PAY", "write .to ADDRESS EVENT"), (".state now", "write .state"),
        ("PAY {", "'{' is no JSON: the text ends"),
        ("PAY 5", "the members of an event are an object: PAY {\"amount\":5}"),
        ("done.state.x", "$.type: only the server sends events named 'done.state.x'"),
        (
            "done.invoke.\u{301}x",
            "$.type: only the server sends events named 'done.invoke.\u{301}x'"
        ),
        (".start {\"when\":1}", "'when' is no setting of .start"), (".start [1]", "write .start"),
        (".start {\"time\":\"noon\"}", "a time is a text such as \"2026-01-31T12:00:00Z\""),
    ])
    func `a wrong command says what to write`(command: String, problem: String) throws {
        var simulation = try simulation()
        _ = simulation.perform(".start")
        _ = simulation.perform("")
        let fault = try #require(simulation.perform(command).fault)
        #expect(fault.hasPrefix(problem), "\(fault)")
    }

    @Test func `an event that doesn't fit its schema is refused`() throws {
        #expect(
            lines(try simulation(), [".start", "PAY {\"amount\":0}"]).last
                == "  refused   EVENT_REJECTED: $.amount: this must be at least 1")
    }

    @Test func `settings of the start are seen by the machine`() throws {
        let chart = #"""
            {"id":"m","initial":"a","context":{"n":1},"states":{"a":{"entry":
              {"emit":{"type":"t","at":"string(now)","id":"self.address","n":"context.n"}}}}}
            """#
        let start = #".start {"id":"x","time":"2030-05-05T05:05:05Z","input":{"n":7}}"#
        #expect(
            lines(try simulation(chart), [start]).last
                == #"  output    {"type":"t","at":"2030-05-05T05:05:05Z","id":"m/x","n":7}"#)
    }

    @Test func `other machines are started by what is sent to them, and are named`() throws {
        let one = #"""
            {"id":"one","initial":"a","states":{"a":{"on":{
              "GO":{"send":{"event":"HI","to":"two/x"}},"BACK":"b",
              "AWAY":{"send":{"event":"HI","to":"three/x"}}}},"b":{}}}
            """#
        let two = #"""
            {"id":"two","initial":"a","states":{"a":{"on":{
              "HI":{"target":"b","actions":[{"send":{"event":"BACK","to":{"expr":"meta.origin"}}}]}
            }},"b":{}}}
            """#
        #expect(
            lines(try simulation(one, machines: ["two": two]), [".start", "GO", "AWAY"]) == [
                "  state     a", "  state     two/x a", "  event     two/x HI",
                "  state     two/x a -> b", "  event     BACK", "  state     a -> b",
                "  unchanged no transition takes it",
            ])
        #expect(
            lines(try simulation(one, machines: ["two": two]), [".start", "AWAY"]).last
                == #"  undelivered three/x {"type":"HI"}"#)
    }

    @Test func `a machine that never ends is given up, and is as before`() throws {
        let chart = #"""
            {"id":"m","initial":"a","states":{"a":{"on":{"E":{"send":{"event":"E"}}}}}}
            """#
        var simulation = try simulation(chart)
        _ = simulation.perform(".start")
        let before = simulation.state
        let result = simulation.perform("E")
        #expect(result.fault == "given up: the machines cause events without end")
        #expect(simulation.state == before)
    }

    @Test func `as many commands are undone as the bound says`() throws {
        var simulation = try simulation(#"{"initial":"a","states":{"a":{}}}"#)
        _ = simulation.perform(".start")
        for _ in 0..<SimulationLimits.undoMax + 5 { _ = simulation.perform(".wait 1s") }
        for _ in 0..<SimulationLimits.undoMax {
            #expect(simulation.perform(".undo").fault == nil)
        }
        #expect(simulation.perform(".undo").fault == "nothing to undo")
        #expect(simulation.time == "2026-01-01T00:00:05Z")
    }
}
