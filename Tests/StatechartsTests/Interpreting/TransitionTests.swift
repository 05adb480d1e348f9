import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Transitions and entry points (SCXML 3.5 to 3.11 and 3.13).
struct TransitionTests {
    @Test func `a string is a target, and an empty object takes the event and does nothing`() throws
    {
        var trial = try Trial(
            #"{"initial":"a","strict":true,"states":{"a":{"on":{"go":"b","stay":{}}},"b":{}}}"#)
        try trial.send("stay")
        #expect(trial.failures.isEmpty)
        #expect(trial.active == "a")
        try trial.send("go")
        #expect(trial.active == "b")
    }

    @Test func `a rejection says whether a guard was false`() throws {
        var trial = try Trial(
            #"{"initial":"a","strict":true,"states":{"a":{"on":{"go":{"target":"a","#
                + #""guard":"event.n > 1"}}}}}"#)
        try trial.send("stay")
        try trial.send("go", #"{"n":1}"#)
        #expect(
            trial.failures.map(\.message) == [
                "no active state takes 'stay'", "no guard of a transition on 'go' is true now",
            ])
    }

    @Test func `a bare target is a sibling, .x a child, #x the state with that id anywhere`() throws
    {
        var trial = try Trial(
            #"""
            {"initial":"a","states":{
              "a":{"initial":"x","on":{"child":".y","sibling":"b","far":"#deep"},
                   "states":{"x":{},"y":{}}},
              "b":{"initial":"z","states":{"z":{},"w":{"id":"deep","on":{"back":"#a"}}}}}}
            """#)
        try trial.send("child")
        #expect(trial.active == "y")
        try trial.send("far")
        #expect(trial.active == "deep")
        try trial.send("back")
        #expect(trial.active == "x")
        try trial.send("sibling")
        #expect(trial.active == "z")
    }

    @Test func `at the root a bare target is a child`() throws {
        var trial = try Trial(#"{"initial":"a","on":{"go":"b"},"states":{"a":{},"b":{}}}"#)
        try trial.send("go")
        #expect(trial.active == "b")
    }

    @Test func `the first match wins, and order among different descriptors counts too`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","states":{"a":{"on":{"*":"b","foo":"c"}},
             "b":{"on":[{"event":["x","foo.*"],"target":"c"},{"event":"*","target":"a"}]},"c":{}}}
            """#)
        try trial.send("foo")
        #expect(trial.active == "b")
        try trial.send("foo.bar")
        #expect(trial.active == "c")
    }

    @Test func `the innermost state wins, unless its guards are false`() throws {
        var trial = try Trial(
            #"""
            {"initial":"p","context":{"n":0},"states":{
              "p":{"initial":"a","on":{"E":"out"},
                   "states":{"a":{"on":{"E":[{"guard":"context.n > 0","target":"b"}],"set":{
                     "assign":{"n":"1"}}}},"b":{}}},
              "out":{}}}
            """#)
        try trial.send("set")
        try trial.send("E")
        #expect(trial.active == "b")
        try trial.send("E")
        #expect(trial.active == "out")
    }

    static let logging = #"""
        {"initial":"s","context":{},"states":{
          "s":{"initial":"a","entry":{"log":"'+s'"},"exit":{"log":"'-s'"},
               "on":{"inner":{"target":".b","log":"'t'"},"outer":{"target":".b","reenter":true,
                     "log":"'t'"},"self":{"target":"s","log":"'t'"},"none":{"log":"'t'"}},
               "states":{"a":{"entry":{"log":"'+a'"},"exit":{"log":"'-a'"}},
                         "b":{"entry":{"log":"'+b'"},"exit":{"log":"'-b'"}}}}}}
        """#

    @Test(arguments: [
        ("inner", #""-a" "t" "+b""#), ("outer", #""-a" "-s" "t" "+s" "+b""#),
        ("self", #""-a" "-s" "t" "+s" "+a""#), ("none", #""t""#),
    ])
    func `internal, external, self and targetless transitions`(event: String, expected: String)
        throws
    {
        var trial = try Trial(Self.logging)
        trial.run.records = []
        try trial.send(event)
        #expect(trial.log.joined(separator: " ") == expected)
    }

    @Test func `a transition from a parallel state to a region leaves and enters it again`() throws
    {
        var trial = try Trial(
            #"""
            {"initial":"p","states":{"p":{"type":"parallel","exit":{"log":"'-p'"},
              "on":{"E":".b"},"states":{"a":{"exit":{"log":"'-a'"}},"b":{"entry":{"log":"'+b'"}}}}}}
            """#)
        try trial.send("E")
        #expect(trial.log == [#""+b""#, #""-a""#, #""-p""#, #""+b""#])
    }

    @Test func `several targets enter several regions`() throws {
        var trial = try Trial(
            #"""
            {"initial":"z","states":{"z":{"on":{"E":{"target":["#b2","#c2"]}}},
              "p":{"type":"parallel","states":{
                "b":{"initial":"b1","states":{"b1":{},"b2":{}}},
                "c":{"initial":"c1","states":{"c1":{},"c2":{}}},
                "d":{"initial":"d1","states":{"d1":{},"d2":{}}}}}}}
            """#)
        try trial.send("E")
        #expect(trial.active == "b2 c2 d1")
    }

    @Test func `a conflict between regions is won by the first, or by the inner source`() throws {
        var trial = try Trial(
            #"""
            {"initial":"p","states":{"p":{"type":"parallel","on":{"E":"out"},"states":{
              "a":{"initial":"a1","states":{"a1":{"on":{"E":"a2"}},"a2":{}}},
              "b":{"initial":"b1","states":{"b1":{"on":{"E":"#other"}}}}}},
              "out":{},"other":{}}}
            """#)
        try trial.send("E")
        #expect(trial.active == "a2 b1")
        try trial.send("E")
        #expect(trial.active == "other")
    }

    @Test func `initial is a child, a deep state, a list of regions, or has actions`() throws {
        let states = #"""
            "states":{"p":{"type":"parallel","states":{
              "b":{"initial":"b1","states":{"b1":{},"b2":{}}},
              "c":{"initial":"c1","states":{"c1":{},"c2":{}}}}}}
            """#
        #expect(try Trial(#"{"initial":"p",\#(states)}"#).active == "b1 c1")
        #expect(try Trial(##"{"initial":"#c2",\##(states)}"##).active == "b1 c2")
        #expect(try Trial(##"{"initial":["#b2","#c2"],\##(states)}"##).active == "b2 c2")
    }

    @Test func `the actions of initial run after the state's entry and before its children's`()
        throws
    {
        let trial = try Trial(
            #"""
            {"initial":"a","states":{"a":{"entry":{"log":"1"},
              "initial":{"target":"b","actions":[{"log":"2"}]},
              "states":{"b":{"entry":{"log":"3"}}}}}}
            """#)
        #expect(trial.log == ["1", "2", "3"])
    }

    @Test func `without initial the first child is entered where faults are events`() throws {
        #expect(try Trial(#"{"errors":"scxml","states":{"a":{},"b":{}}}"#).active == "a")
    }

    @Test func `a root can be parallel`() throws {
        var trial = try Trial(
            #"""
            {"type":"parallel","output":{"n":"1"},"states":{
              "a":{"initial":"x","states":{"x":{"on":{"E":"y"}},"y":{"type":"final"}}},
              "b":{"initial":"z","states":{"z":{"on":{"F":"w"}},"w":{"type":"final"}}}}}
            """#)
        #expect(trial.stored == #"{"value":{"a":"x","b":"z"},"context":{}}"#)
        try trial.send("E")
        #expect(!trial.run.isFinished)
        try trial.send("F")
        #expect(trial.run.isFinished)
        #expect(trial.run.output?.json?.description == #"{"n":1}"#)
    }

    @Test func `eventless transitions come before internal events, and these before external`()
        throws
    {
        var trial = try Trial(
            #"""
            {"initial":"a","states":{
              "a":{"on":{"go":{"target":"b","actions":[{"send":{"event":"ext"}},{"raise":"int"}]}}},
              "b":{"always":"c","on":{"int":"x"}},
              "c":{"on":{"ext":"x","int":"d"}},
              "d":{"on":{"ext":"e"}},"e":{},"x":{}}}
            """#)
        try trial.send("go")
        #expect(trial.active == "e")
    }
}
