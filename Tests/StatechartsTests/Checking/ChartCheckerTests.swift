import Testing

@testable import Statecharts

/// Warnings about definitions that can be used: ``ChartChecker`` with its ``Reachability`` and
/// ``SendCircles``.
struct ChartCheckerTests {
    static let warnings: [(definition: String, path: String, message: String)] = [
        (
            #"{"initial":"a","states":{"a":{"on":{"E":{}}},"b":{"on":{"E":"a"}}}}"#,
            "$.states.b", "never entered"
        ),
        (
            #"""
            {"initial":"a","states":{"a":{"on":{"E":"#y"}},
             "b":{"initial":"x","on":{"E":{}},"states":{"x":{},"y":{}}}}}
            """#,
            "$.states.b.states.x", "never entered"
        ),
        (#"{"initial":"a","states":{"a":{"on":{"E":"b"}},"b":{}}}"#, "$.states.b", "a dead end"),
        (
            #"{"initial":"a","states":{"a":{"on":{"E":[{},{"target":"a"}]}}}}"#,
            "$.states.a.on.E[1]", "$.states.a.on.E[0] has no guard and comes first"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"*":{},"E":"a"}}}}"#, "$.states.a.on.E",
            "can never win"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"x.*":{},"x.y.z":"a"}}}}"#,
            #"$.states.a.on["x.y.z"]"#, "can never win"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"x.*":{},"x.y.*":"a"}}}}"#,
            #"$.states.a.on["x.y.*"]"#, "can never win"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"E":[{"guard":"true"},{}]}}}}"#,
            "$.states.a.on.E[1]", "can never win"
        ),
        (
            #"{"initial":"a","states":{"a":{"always":["b","a"]},"b":{"type":"final"}}}"#,
            "$.states.a.always[1]", "can never win"
        ),
        (
            #"{"initial":"a","states":{"a":{"always":{"log":"1"}}}}"#, "$.states.a.always",
            "taken for ever"
        ),
        (
            #"{"initial":"a","states":{"a":{"after":{"1s":[{},{}]}}}}"#,
            #"$.states.a.after["1s"][1]"#, "can never win"
        ),
        (
            #"{"initial":"a","states":{"a":{"always":"b","on":{"E":"b"}},"b":{"type":"final"}}}"#,
            "$.states.a.on.E", "$.states.a.always has no guard and leaves 'a' at once"
        ),
        (
            #"""
            {"initial":"a","context":{"n":1},"states":{"a":{"on":{"E":[{"guard":"context.n > 0"},
             {"guard":"context.n > 1"},{"guard":"context.n > 0","target":"a"}]}}}}
            """#,
            "$.states.a.on.E[2]", "$.states.a.on.E[0] has the same guard and comes first"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"E":{"guard":"1 > 2"}}}}}"#,
            "$.states.a.on.E", "never true"
        ),
        (
            #"{"initial":"a","events":{"PAY":{}},"states":{"a":{"on":{"PAY":{},"PAI":{}}}}}"#,
            "$.states.a.on.PAI", "isn't declared in 'events'; did you mean 'PAY'?"
        ),
        (
            #"{"initial":"a","events":{"PAY":{},"E":{}},"states":{"a":{"on":{"E":{}}}}}"#,
            "$.events.PAY", "no transition takes the event 'PAY'"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"E":{"send":{"event":"E"}}}}}}"#,
            "$.states.a.on.E", "again and again without waiting: 'E' leads to 'E'; give it a delay"
        ),
        (
            #"""
            {"initial":"a","states":{"a":{"on":{"E":{"target":"b","send":{"event":"F"}}}},
             "b":{"on":{"F":{"target":"a","send":{"event":"E","to":"self"}}}}}}
            """#,
            "$.states.a.on.E", "waiting: 'E' leads to 'F' leads to 'E'"
        ),
        (
            #"""
            {"initial":"a","on":{"TICK":"#b"},"states":{"a":{"on":{"GO":"b"}},
             "b":{"entry":{"send":{"event":"TICK"}}}}}
            """#,
            "$.on.TICK", "waiting: 'TICK' leads to 'TICK'"
        ),
        (
            #"""
            {"id":"m","initial":"a","states":{"a":{"initial":"b","on":{"E":{}},"states":{
             "b":{"invoke":{"src":"machine:m"}}}}}}
            """#,
            "$.states.a.states.b.invoke", "each of these machines starts another one"
        ),
        (
            #"""
            {"initial":"b","states":{"b":{"initial":"x","onDone":"c","on":{"F":"c"},
             "states":{"x":{}}},"c":{"type":"final"}}}
            """#,
            "$.states.b.onDone", "never comes: 'b' ends with a final state, and has none"
        ),
        (
            #"""
            {"initial":"p","on":{"done.state.p":"c","F":"c"},"states":{
             "p":{"type":"parallel","states":{
              "q":{"initial":"x","states":{"x":{"on":{"E":"y"}},"y":{"type":"final"}}},
              "r":{}}},
             "c":{"type":"final"}}}
            """#,
            #"$.on["done.state.p"]"#, "'p' ends with a final state, and has none"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"done.state.z":{}}}}}"#,
            #"$.states.a.on["done.state.z"]"#, "there is no state 'z'"
        ),
        (
            #"""
            {"initial":"a","states":{"a":{"invoke":{"id":"pay","src":"m"},
             "on":{"done.invoke.pya":{}}}}}
            """#,
            #"$.states.a.on["done.invoke.pya"]"#, "no invocation has the id 'pya'"
        ),
        (
            #"{"initial":"a","events":{"$x":{}},"states":{"a":{"on":{"E":{"raise":"E"}}}}}"#,
            #"$.events["$x"]"#, "no event named '$x' ever comes"
        ),
    ]

    @Test(arguments: warnings.indices)
    func `a warning has its path`(index: Int) {
        let row = Self.warnings[index]
        let found = problems(row.definition)
        let matches = found.contains {
            $0.severity == .warning && $0.path == row.path && $0.message.contains(row.message)
        }
        #expect(matches, "\(row) in \(found)")
        #expect(found.count == 1, "\(found)")
    }

    @Test(arguments: [
        // Declared after it, raised by the machine itself, or a platform's.
        #"""
        {"initial":"a","events":{"E":{},"x.y":{}},"states":{"a":{
         "invoke":{"id":"x","src":"m"},"on":{"E":{"raise":"F"},"F":{},
         "done.invoke.x":{},"error.*":{},"x.*":{}}}}}
        """#,
        // Ends that come: of regions, of an invocation with a computed id, and any.
        #"""
        {"initial":"p","context":{"id":""},"states":{"p":{"type":"parallel","onDone":"z","states":{
         "q":{"initial":"x","states":{"x":{"on":{"E":"y"}},"y":{"type":"final"}}},
         "r":{"initial":"v","onDone":{},"states":{"v":{"on":{"E":"w"}},"w":{"type":"final"}}}}},
         "z":{"invoke":{"id":{"expr":"context.id + '!'"},"src":"m"},
          "on":{"done.invoke.any":{},"done.state.*":{}}}}}
        """#,
        // In a region, and below a state with transitions.
        #"""
        {"initial":"p","states":{"p":{"type":"parallel","states":{"a":{},
         "b":{"initial":"c","on":{"E":".d"},"states":{"c":{},"d":{}}}}}}}
        """#,
        // Reached through history, by default and by its own targets.
        #"""
        {"initial":"a","states":{"a":{"on":{"E":"#h"}},"b":{"initial":"c","on":{"E":"a"},
         "states":{"c":{},"d":{},"h":{"type":"history","target":"d"}}},
         "z":{"type":"final"}},"on":{"Z":"z","B":"b"}}
        """#,
        // Left at once only if a guard holds, and one guard for two events.
        #"""
        {"initial":"a","context":{"n":1},"states":{"a":{"always":{"guard":"context.n > 2",
         "target":"b"},"on":{"E":{"guard":"context.n > 0"},"F":{"guard":"context.n > 0"}}},
         "b":{"type":"final"}}}
        """#,
        // Sends that end: delayed, on a condition, to others, taken elsewhere, canceled, deferred.
        #"""
        {"id":"m","initial":"a","context":{"n":0},"states":{"a":{"on":{
         "A":{"send":{"event":"A","delay":"1s"}},
         "B":{"guard":"context.n < 9","assign":{"n":"context.n + 1"},"send":{"event":"B"}},
         "C":{"actions":[{"choose":[{"guard":"context.n > 9",
          "actions":[{"send":{"event":"C"}}]}]}]},
         "D":{"send":{"event":"D","to":"m/other"}},
         "F":{"target":"b","send":{"event":"F"}}}},
         "b":{"defer":["G"],"on":{"F":"c","G":{"send":{"event":"G"}}},
          "invoke":{"src":"machine:m"}},
         "c":{"type":"final"}}}
        """#,
        // A guard before, or a narrower descriptor before.
        #"""
        {"initial":"a","context":{"n":1},"states":{"a":{"on":{"x.y":{},"x.*":{},
         "E":[{"guard":"context.n > 0"},{}],"*":{}}}}}
        """#,
    ])
    func `what is meant like this has no warning`(definition: String) {
        #expect(problems(definition).map(\.description) == [])
    }

    @Test func `a state that is entered by itself is entered with its default`() {
        var reached = Reachability(
            (try? Chart(
                parsing: Array(
                    #"""
                    {"initial":"#y","on":{"E":"b"},"states":{
                     "b":{"initial":"x","states":{"x":{},"y":{}}}}}
                    """#.utf8)))?.states ?? [])
        reached.enter(3)
        #expect(reached.contains(1))
        #expect(!reached.contains(2))
        reached.enter(1)
        #expect(reached.contains(2))
    }
}
