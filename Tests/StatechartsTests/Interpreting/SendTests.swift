import OrderedJSON
import Testing

@testable import Statecharts

/// Sends, cancels and timers (SCXML 6.2 and 6.3).
struct SendTests {
    @Test func `without a recipient, or with self, an event comes to the own inbox`() throws {
        let trial = try Trial(
            #"""
            {"initial":"a","on":{"*":{"log":"event.type"}},"states":{"a":{"entry":[
              {"send":{"event":"one"}},{"send":{"event":"two","to":"self"}},
              {"send":{"event":"three","to":{"expr":"self.address"}}},
              {"send":{"event":"four","to":"internal"}}]}}}
            """#)
        #expect(trial.log == [#""four""#, #""one""#, #""two""#, #""three""#])
        #expect(trial.taken == ["one", "two", "three"])
    }

    @Test func `a delayed event comes when it is due, with the values of the send`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","context":{"n":1},"states":{"a":{"entry":[
              {"send":{"event":{"type":"E","n":"context.n"},"delay":"2s"}},{"assign":{"n":"2"}}],
              "on":{"E":{"target":"b","log":"event.n"}}},"b":{}}}
            """#)
        try trial.run.advance(milliseconds: 1_999)
        #expect(trial.active == "a")
        #expect(trial.run.nextDue == 1)
        try trial.run.advance(milliseconds: 1)
        #expect(trial.active == "b")
        #expect(trial.log == ["1"])
    }

    @Test func `a delay is text, milliseconds, a duration or a time`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","on":{"*":{"log":"event.type"}},"states":{"a":{"entry":[
              {"send":{"event":"d","delay":{"expr":"now + duration('4s')"}}},
              {"send":{"event":"c","delay":{"expr":"duration('3s')"}}},
              {"send":{"event":"b","delay":{"expr":"1000 * 2"}}},
              {"send":{"event":"a","delay":1000}}]}}}
            """#)
        try trial.run.advance(milliseconds: 10_000)
        #expect(trial.log == [#""a""#, #""b""#, #""c""#, #""d""#])
    }

    @Test func `cancel ends the delayed sends with an id, and no others`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","on":{"x":{"log":"1"},"y":{"log":"2"}},"states":{"a":{"entry":[
              {"send":{"event":"x","delay":"1s","id":"p1"}},
              {"send":{"event":"x","delay":"2s","id":"p1"}},
              {"send":{"event":"y","delay":"1s","id":"p2"}},
              {"send":{"event":"y","delay":"1s"}},
              {"cancel":{"expr":"'p' + '1'"}}]}}}
            """#)
        try trial.run.advance(milliseconds: 5_000)
        #expect(trial.log == ["2", "2"])
    }

    @Test func `after fires while the state is active, and is dropped when it is left`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","context":{"n":0,"wait":500},"states":{
              "a":{"after":{"1s":[{"guard":"context.n > 0","target":"b"},{"target":"c"}]},
                   "on":{"set":{"assign":{"n":"1"}}}},
              "b":{"after":{"context.wait":"d"}},
              "c":{"after":{"1s":"a"},"on":{"go":"d"}},
              "d":{"after":[{"delay":{"expr":"context.wait * 2"},"target":"e"}]},"e":{}}}
            """#)
        try trial.run.advance(milliseconds: 1_000)
        #expect(trial.active == "c")
        try trial.send("go")
        try trial.run.advance(milliseconds: 999)
        #expect(trial.active == "d")
        try trial.run.advance(milliseconds: 1)
        #expect(trial.active == "e")
        var other = try Trial(
            #"""
            {"initial":"b","context":{"wait":500},"states":{"b":{"after":{"context.wait":"c"}},
            "c":{}}}
            """#)
        try other.run.advance(milliseconds: 500)
        #expect(other.active == "c")
    }

    @Test func `a timer matches no descriptor`() throws {
        var trial = try Trial(
            #"{"initial":"a","states":{"a":{"on":{"*":"x"},"after":{"1s":"b"}},"b":{},"x":{}}}"#)
        try trial.run.advance(milliseconds: 1_000)
        #expect(trial.active == "b")
    }

    @Test func `two timers that are due together fire each in its own step`() throws {
        var trial = try Trial(
            #"""
            {"initial":"p","states":{"p":{"type":"parallel","states":{
              "a":{"initial":"a1","states":{"a1":{"after":{"1s":"a2"}},"a2":{}}},
              "b":{"initial":"b1","states":{"b1":{"after":{"1s":"#out"}}}}}},"out":{}}}
            """#)
        try trial.run.advance(milliseconds: 1_000)
        #expect(trial.active == "out")
        #expect(trial.taken == ["after", "after"])
    }

    @Test func `a send that fails sends nothing`() throws {
        let trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"z":0},"on":{"*":{"log":"event.type"}},
             "states":{"a":{"entry":[[{"send":{"event":{"type":"E","n":"1 / context.z"}}}],
               [{"send":{"event":"E","delay":{"expr":"'soon'"}}}],
               [{"send":{"event":"E","via":"post"}}],
               [{"send":{"event":"E","to":"internal","delay":"1s"}}],
               [{"send":{"event":{"type":{"expr":"''"}}}}]]}}}
            """#)
        #expect(trial.log == Array(repeating: #""error.execution""#, count: 5))
    }

    @Test(arguments: ["parent", "child:kid", "other/7"])
    func `an unknown recipient raises error.communication, and the block continues`(
        to: String
    ) throws {
        let trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","states":{"a":{"entry":[
              {"send":{"event":"E","to":"\#(to)","id":"s1"}},{"log":"'reached'"}],
              "on":{"error.communication":{"log":"[meta.send, event.error.code]"}}}}}
            """#)
        #expect(trial.log == [#""reached""#, #"["s1","UNKNOWN_RECIPIENT"]"#])
    }

    @Test func `by default an unknown parent is logged, and an unknown address is the host's`()
        throws
    {
        let trial = try Trial(
            #"""
            {"initial":"a","states":{"a":{"entry":[{"send":{"event":"E","to":"parent"}},
              {"send":{"event":"E","to":"other/7"}}]}}}
            """#)
        #expect(trial.failures.isEmpty)
        #expect(trial.log.count == 1)
        let undelivered = trial.run.records.contains {
            if case .undelivered(_, address: "other/7") = $0.entry { true } else { false }
        }
        #expect(undelivered)
    }
}
