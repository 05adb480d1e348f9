import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Failures, budgets, deferral and strictness of a step.
struct InterpreterTests {
    // MARK: Failures

    @Test func `a guard or action that fails fails the event, and nothing is changed`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","context":{"n":0},"states":{"a":{"on":{
              "guard":{"guard":"1 / context.n > 0","target":"b"},
              "action":{"target":"b","actions":[{"assign":{"n":"1"}},{
              "log":"1 / (context.n - 1)"}]}}},
              "b":{}}}
            """#)
        try trial.send("guard")
        try trial.send("action")
        #expect(trial.failures.map(\.code) == [.evalError, .evalError])
        #expect(trial.failures.first?.path == "$.states.a.on.guard.guard")
        #expect(trial.active == "a")
        #expect(trial.context == #"{"n":0}"#)
        #expect(trial.log.isEmpty)
    }

    @Test func `where failures are events, a failing guard is false and raises error.execution`()
        throws
    {
        var trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"n":0},"states":{"a":{"on":{
              "E":[{"guard":"1 / context.n > 0","target":"b"},{"guard":"context.n","target":"b"},
                   {"log":"'last'"}],
              "error.execution":{"log":"event.error.message"}}},"b":{}}}
            """#)
        try trial.send("E")
        #expect(
            trial.log == [
                #""last""#, #""division by zero""#, #""a guard must be bool, and is int""#,
            ])
    }

    @Test func `where failures are events, a failing initial value is null`() throws {
        let trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"z":0,"n":{"expr":"1 / context.z"}},
             "states":{"a":{"on":{"error.execution":"b"}},"b":{}}}
            """#)
        #expect(trial.context == #"{"z":0,"n":null}"#)
        #expect(trial.active == "b")
    }

    @Test
    func `where failures are events, an expression that doesn't compile fails when it is reached`()
        throws
    {
        let trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"n":1},"states":{"a":{
              "entry":[{"assign":{"n":"1 +"}}],"on":{"error.execution":"b"}},"b":{}}}
            """#)
        #expect(trial.active == "b")
    }

    // MARK: Budgets

    @Test func `1,000 microsteps are the limit`() throws {
        let text = #"""
            {"initial":"a","context":{"n":0,"max":0},"states":{"a":{"on":{"E":{
              "assign":{"max":"event.max","n":"0"}}},
              "always":{"guard":"context.n < context.max","assign":{"n":"context.n + 1"}}}}}
            """#
        var trial = try Trial(text)
        try trial.send("E", #"{"max":999}"#)
        #expect(trial.context == #"{"n":999,"max":999}"#)
        try trial.send("E", #"{"max":1000}"#)
        #expect(trial.failures.map(\.code) == [.stepLimit])
        #expect(trial.context == #"{"n":999,"max":999}"#)
    }

    @Test func `a machine that raises events for ever reaches a limit`() throws {
        for errors in ["fail", "scxml"] {
            let trial = try Trial(
                #"""
                {"errors":"\#(errors)","initial":"a","states":{"a":{"entry":{"raise":"E"},
                 "on":{"E":{"raise":"E"}}}}}
                """#)
            #expect(trial.failures.map(\.code) == [.stepLimit])
        }
        let failing = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"z":0},"states":{"a":{"entry":{"raise":"E"},
             "on":{"*":{"guard":"1 / context.z > 0"}}}}}
            """#)
        #expect(failing.failures.count == 1)
    }

    @Test func `all expressions of an event share 10,000 steps`() throws {
        var trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"l":[0,1,2,3,4,5,6,7,8,9],"x":0},
             "states":{"a":{"on":{"E":{"actions":[{"foreach":{"in":"context.l","item":"x",
             "actions":[
               {"log":"context.l.all(a, context.l.all(b, context.l.size() > a + b - 100))"}]}},
               {"foreach":{"in":"context.l","item":"x","actions":[
               {"log":"context.l.all(a, context.l.all(b, context.l.size() > a + b - 100))"}]}}]}}}}}
            """#)
        try trial.send("E")
        #expect(trial.failures.map(\.code) == [.evalLimit])
    }

    @Test func `10,000 actions are the limit`() throws {
        let nested = #"""
            {"foreach":{"in":"context.l","item":"y","actions":[{"foreach":{"in":"context.l",
              "item":"z","actions":[{"foreach":{"in":"context.l","item":"w","actions":[
              {"raise":"none"},{"cancel":"a"},{"cancel":"a"},{"cancel":"a"},{"cancel":"a"},
              {"cancel":"a"},{"cancel":"a"},{"cancel":"a"},{"cancel":"a"}]}}]}}]}}
            """#
        let trial = try Trial(
            #"""
            {"initial":"a","context":{"l":[1,2,3,4,5,6,7,8,9,10]},
             "states":{"a":{"entry":\#(nested)}}}
            """#)
        #expect(trial.failures.map(\.code) == [.stepLimit])
    }

    @Test func `a result of 64 KiB is the limit, also where failures are events`() throws {
        let text = String(repeating: "x", count: 33_000)
        var trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"s":"\#(text)"},"states":{"a":{"on":{
              "E":{"log":"[context.s, context.s]"}}}}}
            """#)
        try trial.send("E")
        #expect(trial.failures.map(\.code) == [.evalLimit])
    }

    @Test func `a context of 1 MiB is the limit`() throws {
        var wide = try Trial(
            #"{"initial":"a","context":{"m":{}},"states":{"a":{"on":{"E":{"actions":["#
                + (0..<20).map { #"{"assign":{"m.k\#($0)":"event.s"}}"# }.joined(separator: ",")
                + "]}}}}}")
        let large = String(repeating: "y", count: 60_000)
        try wide.send("E", #"{"s":"\#(large)"}"#)
        #expect(wide.failures.map(\.code) == [.stateTooLarge])
        #expect(wide.context == #"{"m":{}}"#)
    }

    @Test func `a value that grows deeper with each event reaches a limit`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","context":{"x":[]},"states":{"a":{"on":{"E":{
              "assign":{"x":"[context.x]"}}}}}}
            """#)
        for _ in 0..<60 { try trial.send("E") }
        #expect(trial.failures.count > 10)
        #expect(trial.failures.first?.code == .evalError)
    }

    // MARK: strict and defer

    @Test
    func `an event without a transition changes nothing, and is rejected by a strict machine`()
        throws
    {
        let chart = try Chart(
            parsing: Array(#"{"initial":"a","states":{"a":{"on":{"known":{}}}}}"#.utf8))
        let start = try #require(CELTimestamp(seconds: 0))
        let environment = ChartEnvironment(now: start, id: "i", machine: "m")
        let first: ChartStep = try chart.start(environment)
        #expect(try !chart.step(first.state, ChartEvent("E"), environment).isChanged)
        #expect(try chart.step(first.state, ChartEvent("known"), environment).isChanged)
        var trial = try Trial(#"{"strict":true,"initial":"a","states":{"a":{}}}"#)
        try trial.send("E")
        #expect(trial.failures.map(\.code) == [.eventRejected])
    }

    @Test func `a deferred event is kept until a state accepts it, oldest first`() throws {
        var trial = try Trial(
            #"""
            {"strict":true,"initial":"a","states":{
              "a":{"defer":["PAY","x.*"],"on":{"go":"b"}},
              "b":{"on":{"go":"c"}},
              "c":{"on":{"PAY":{"log":"event.n"},"x.y":{"log":"event.type"}}}}}
            """#)
        try trial.send("PAY", #"{"n":1}"#)
        try trial.send("x.y")
        try trial.send("PAY", #"{"n":2}"#)
        #expect(trial.stored.contains(#""deferred":[{"type":"PAY","n":1}"#))
        try trial.send("go")
        #expect(trial.log.isEmpty)
        try trial.send("go")
        #expect(trial.log == ["1", #""x.y""#, "2"])
        #expect(!trial.stored.contains("deferred"))
    }

    @Test func `a deferred event is taken when a guard becomes true in the same state`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","context":{"r":false},"states":{
              "a":{"defer":"E","on":{"E":{"guard":"context.r","target":"b"},
                                     "R":{"assign":{"r":"true"}}}},"b":{}}}
            """#)
        try trial.send("E")
        #expect(trial.active == "a")
        try trial.send("R")
        #expect(trial.active == "b")
    }

    @Test func `an event is deferred, although it is handed on as well`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","states":{
              "a":{"defer":"E","on":{"N":"b"},
                   "invoke":{"autoforward":true,"src":{"machine":{"initial":"x",
                     "states":{"x":{"on":{"E":{"log":"'child'"}}}}}}}},
              "b":{"on":{"E":"c"}},"c":{}}}
            """#)
        try trial.send("E")
        #expect(trial.log == [#""child""#])
        try trial.send("N")
        #expect(trial.active == "c")
    }

    @Test func `the requests of an event are bounded in number and bytes`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","context":{"l":[1,2,3,4,5,6,7,8,9,10],
              "text":"0123456789012345678901234567890123456789012345678901234567890123"},
             "states":{"a":{"on":{
              "MANY":{"actions":[{"foreach":{"in":"context.l","item":"x","actions":[
                {"foreach":{"in":"context.l","item":"y","actions":[
                  {"foreach":{"in":"context.l","item":"z","actions":[{"emit":"out"}]}},
                  {"log":"1"}]}}]}}]},
              "GROW":{"assign":{"text":"context.text + context.text"}},
              "LARGE":{"actions":[{"foreach":{"in":"context.l","item":"x","actions":[
                {"foreach":{"in":"context.l","item":"y","actions":[
                  {"emit":{"type":"out","text":"context.text"}}]}}]}}]}}}}}
            """#)
        try trial.send("MANY")
        #expect(trial.failures.map(\.code) == [.stepLimit])
        for _ in 0..<9 { try trial.send("GROW") }
        try trial.send("LARGE")
        #expect(trial.failures.map(\.code) == [.stepLimit, .evalLimit])
        #expect(trial.outputs.isEmpty)
    }

    @Test func `64 deferred events are the limit`() throws {
        var trial = try Trial(#"{"initial":"a","states":{"a":{"defer":"E"}}}"#)
        for _ in 0..<65 { try trial.send("E") }
        #expect(trial.failures.map(\.code) == [.eventRejected])
        var large = try Trial(#"{"initial":"a","states":{"a":{"defer":"E"}}}"#)
        try large.send("E", #"{"s":"\#(String(repeating: "x", count: 70_000))"}"#)
        #expect(large.failures.map(\.code) == [.evalLimit])
    }
}
