import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Final states, done events and outputs (SCXML 3.7 and 5.5).
struct DoneTests {
    @Test func `a final child raises done.state with its output, and onDone is short for it`()
        throws
    {
        let trial = try Trial(
            #"""
            {"initial":"s","context":{"got":0},"states":{
              "s":{"initial":"f","states":{"f":{"type":"final","output":{"n":"1 + 1"}}},
                   "onDone":{"target":"t","assign":{"got":"event.output.n"}}},"t":{}}}
            """#)
        #expect(trial.active == "t")
        #expect(trial.context == #"{"got":2}"#)
    }

    @Test func `a parallel state is done when all regions are, after the regions' own events`()
        throws
    {
        var trial = try Trial(
            #"""
            {"initial":"p","on":{"done.state.*":{"log":"event.type"}},"states":{
              "p":{"type":"parallel","states":{
                "a":{"initial":"x","states":{"x":{"on":{"E":"y"}},"y":{"type":"final"}}},
                "b":{"initial":"z","states":{"z":{"on":{"F":"w"}},"w":{"type":"final"}}}}}}}
            """#)
        try trial.send("E")
        #expect(trial.log == [#""done.state.a""#])
        try trial.send("F")
        #expect(trial.log.suffix(2) == [#""done.state.b""#, #""done.state.p""#])
    }

    @Test(arguments: [["E", "F", "G"], ["G", "F", "E"], ["E", "G", "F"], ["F", "G", "E"]])
    func `a parallel state within another one is done in any order`(events: [String]) throws {
        var trial = try Trial(
            #"""
            {"initial":"p","on":{"done.state.*":{"log":"event.type"}},"states":{
              "p":{"type":"parallel","states":{
                "q":{"type":"parallel","states":{
                  "a":{"initial":"x","states":{"x":{"on":{"E":"y"}},"y":{"type":"final"}}},
                  "b":{"initial":"z","states":{"z":{"on":{"F":"w"}},"w":{"type":"final"}}}}},
                "r":{"initial":"u","states":{"u":{"on":{"G":"v"}},"v":{"type":"final"}}}}}}}
            """#)
        for event in events { try trial.send(event) }
        #expect(
            trial.log.sorted() == ["a", "b", "p", "q", "r"].map { #""done.state.\#($0)""# })
        #expect(trial.log.last == #""done.state.p""#)
    }

    @Test func `an id names the done event`() throws {
        let trial = try Trial(
            #"""
            {"initial":"s","on":{"done.state.sid":{"log":"1"}},
             "states":{"s":{"initial":"f","id":"sid","states":{"f":{"type":"final"}}}}}
            """#)
        #expect(trial.log == ["1"])
    }

    @Test func `a failing member of an output is left out, and with none left it is null`() throws {
        var trial = try Trial(
            #"""
            {"initial":"s","context":{"z":0},"states":{
              "s":{"initial":"f","states":{"f":{"type":"final",
                   "output":{"a":"1 / context.z","b":"2"}}},
                   "onDone":{"target":"t","log":"event.output"}},
              "t":{"initial":"g","states":{"g":{"type":"final","output":{"a":"1 / context.z"}}},
                   "onDone":{"log":"event.output"}}}}
            """#)
        #expect(trial.log == [#"{"b":2}"#, "null"])
        trial = try Trial(
            #"""
            {"errors":"scxml","initial":"s","context":{"z":0},"states":{
              "s":{"initial":"f","on":{"*":{"log":"event.type"}},
                   "states":{"f":{"type":"final","output":{"a":"1 / context.z"}}}}}}
            """#)
        #expect(trial.log == [#""error.execution""#, #""done.state.s""#])
    }

    @Test func `a top-level final state ends the machine: exit actions run, timers are dropped`()
        throws
    {
        var trial = try Trial(
            #"""
            {"initial":"a","exit":{"log":"'-m'"},"states":{
              "a":{"entry":{"send":{"event":"late","delay":"1s"}},"on":{"go":"f"}},
              "f":{"type":"final","entry":{"raise":"ignored"},"exit":{"log":"'-f'"},
                   "output":{"ok":"true"}}}}
            """#)
        try trial.send("go")
        #expect(trial.run.isFinished)
        #expect(trial.active == "f")
        #expect(trial.log == [#""-f""#, #""-m""#])
        #expect(trial.run.output?.json?.description == #"{"ok":true}"#)
        #expect(trial.run.nextDue == nil)
        try trial.send("go")
        #expect(trial.taken == ["go"])
        #expect(trial.stored.hasSuffix(#""finished":true}"#))
    }

    @Test func `the output of the machine is its own, or that of its final state`() throws {
        let trial = try Trial(
            #"""
            {"initial":"f","output":{"whole":"context.n"},"context":{"n":7},
             "states":{"f":{"type":"final","output":{"part":"1"}}}}
            """#)
        #expect(trial.run.output?.json?.description == #"{"whole":7}"#)
    }
}
