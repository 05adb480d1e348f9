import OrderedJSON
import Statecharts
import Testing

/// Machines that run by themselves and must end in `pass`, modelled on the assertions of the SCXML
/// recommendation.
struct SelfRunningTests {
    /// Each has the assertion, the states besides `pass` and `fail`, and other members.
    static let cases: [(assertion: String, members: String, states: String)] = [
        (
            "409: in() is false for a state that was left",
            #""initial":"s0""#,
            #"""
            "s0":{"initial":"s1","exit":{"choose":[{"guard":"in('s1')","actions":{"raise":"bad"}}]},
              "states":{"s1":{"always":"#s2"}}},
            "s2":{"entry":{"send":{"event":"timeout","delay":"1s"}},
              "on":{"bad":"fail","timeout":"pass"}}
            """#
        ),
        (
            "411: a state is active before its entry actions",
            #""initial":"s0""#,
            #"""
            "s0":{"initial":"s1","entry":{"choose":[{"guard":"in('s1')","actions":{
            "raise":"bad"}}]},
              "on":{"bad":"fail","good":"pass"},
              "states":{"s1":{"entry":{"choose":[{"guard":"in('s1')",
                "actions":{"raise":"good"}}]}}}}
            """#
        ),
        (
            "422: only invocations of states that stay are started",
            #""initial":"s1","context":{"n":0}"#,
            #"""
            "s1":{"initial":"s11","entry":{"send":{"event":"timeout","delay":"2s"}},
              "on":{"invokeS1":{"assign":{"n":"context.n + 1"}},
                    "invokeS12":{"assign":{"n":"context.n + 1"}},"invokeS11":"fail",
                    "timeout":[{"guard":"context.n == 2","target":"pass"},"fail"]},
              "invoke":{"src":{"machine":{"errors":"scxml","initial":"f","states":{"f":{
                "type":"final","entry":{"send":{"event":"invokeS1","to":"parent"}}}}}}},
              "states":{
                "s11":{"invoke":{"src":{"machine":{"errors":"scxml","initial":"f","states":{"f":{
                  "type":"final","entry":{"send":{"event":"invokeS11","to":"parent"}}}}}}},
                  "always":"s12"},
                "s12":{"invoke":{"src":{"machine":{"errors":"scxml","initial":"f","states":{"f":{
                  "type":"final","entry":{"send":{"event":"invokeS12","to":"parent"}}}}}}}}}}
            """#
        ),
        (
            "187: a delayed send is dropped when its session ends",
            #""initial":"s0""#,
            #"""
            "s0":{"entry":{"send":{"event":"timeout","delay":"2s"}},
              "on":{"late":"fail","timeout":"pass"},
              "invoke":{"src":{"machine":{"errors":"scxml","initial":"a","states":{
                "a":{"entry":{"send":{"event":"late","to":"parent","delay":"1s"}},"always":"f"},
                "f":{"type":"final"}}}}}}
            """#
        ),
        (
            "192: parent and child talk by their names",
            #""initial":"s0","context":{"heard":false}"#,
            #"""
            "s0":{"entry":{"send":{"event":"timeout","delay":"9s"}},
              "invoke":{"id":"kid","src":{"machine":{"errors":"scxml","initial":"a","states":{
                "a":{"entry":{"send":{"event":"up","to":"parent"}},
                     "on":{"down":{"target":"f","send":{"event":"got","to":"parent"}}}},
                "f":{"type":"final"}}}}},
              "on":{"up":{"send":{"event":"down","to":"child:kid"}},
                "got":{"assign":{"heard":"true"}},
                "done.invoke.kid":[{"guard":"context.heard","target":"pass"},"fail"],
                "timeout":"fail"}}
            """#
        ),
        (
            "the end of an invocation that was stopped before it doesn't count",
            #""initial":"s0""#,
            #"""
            "s0":{"invoke":{"id":"kid","src":{"machine":{"errors":"scxml","initial":"f","states":{
                "f":{"type":"final","entry":[{"send":{"event":"first","to":"parent"}},
                     {"send":{"event":"second","to":"parent"}}]}}}}},
              "on":{"first":"s1"}},
            "s1":{"after":{"1s":"pass"},"on":{"*":"fail"}}
            """#
        ),
        (
            "207: a session can't cancel another one's sends",
            #""initial":"s0""#,
            #"""
            "s0":{"entry":{"send":{"event":"timeout","delay":"5s"}},
              "on":{"kidSent":{"cancel":"e1"},"kept":"pass","*":"fail"},
              "invoke":{"src":{"machine":{"errors":"scxml","initial":"a","states":{
                "a":{"entry":[{"send":{"event":"e1","id":"e1","delay":"1s"}},
                     {"send":{"event":"kidSent","to":"parent"}}],
                     "on":{"e1":{"send":{"event":"kept","to":"parent"}}}}}}}}}
            """#
        ),
        (
            "230: an event is handed on with all its fields",
            #""initial":"s0""#,
            #"""
            "s0":{"after":{"1s":{"send":{"event":{"type":"fwd","n":"7"},"id":"x"}},"9s":"fail"},
              "invoke":{"autoforward":true,"src":{"machine":{"errors":"scxml","initial":"a",
              "states":{
                "a":{"on":{"fwd":{"send":{"event":{"type":"back",
                  "all":["event.n == 7","meta.send == 'x'","meta.kind == 'external'",
                    "meta.via == 'machine'","meta.invoke == null"]
                  },"to":"parent"}}}}}}}},
              "on":{"back":[{"guard":"event.all.all(x, x)","target":"pass"},"fail"]}}
            """#
        ),
        (
            "234: finalize only of the invocation that sent the event",
            #""initial":"s0","context":{"a":0,"b":0}"#,
            #"""
            "s0":{"invoke":[
                {"src":{"machine":{"errors":"scxml","initial":"x","states":{"x":{
                  "entry":{"send":{"event":{"type":"E","v":"2"},"to":"parent"}}}}}},
                 "finalize":[{"assign":{"a":"event.v"}}]},
                {"src":{"machine":{"errors":"scxml","initial":"x","states":{"x":{}}}},
                 "finalize":[{"assign":{"b":"event.v"}}]}],
              "on":{"E":[{"guard":"context.a == 2 && context.b == 0","target":"pass"},"fail"]}}
            """#
        ),
        (
            "250 and 252: a canceled child runs its exit actions, and its events don't arrive",
            #""initial":"s0""#,
            #"""
            "s0":{"entry":{"send":{"event":"next","delay":"1s"}},
              "invoke":{"id":"k","src":{"machine":{"errors":"scxml","initial":"a","states":{"a":{
                "exit":{"send":{"event":"bad","to":"parent"}},"after":{"2s":"f"}},
                "f":{"type":"final"}}}}},
              "on":{"next":"s1"}},
            "s1":{"after":{"5s":"pass"},"on":{"bad":"fail","done.invoke.k":"fail"}}
            """#
        ),
        (
            "332 and 333: errors of a send have its id, other events without an id have none",
            #""initial":"s0","context":{"id":"none"}"#,
            #"""
            "s0":{"entry":{"send":{"event":"E","to":"!","id":{"assign":"id"}}},
              "on":{"error.execution":[{"guard":"meta.send == context.id","target":"s1"},"fail"]}},
            "s1":{"entry":{"send":{"event":"E"}},
              "on":{"E":[{"guard":"meta.send == null","target":"pass"},"fail"]}}
            """#
        ),
        (
            "335 to 339: an origin can be answered, internal events have none",
            #""initial":"s0""#,
            #"""
            "s0":{"entry":{"raise":"in"},
              "on":{"in":[{"guard":"meta.origin == null && meta.invoke == null","target":"s1"},
              "fail"]}},
            "s1":{"entry":{"send":{"event":"out"}},
              "on":{"out":{"target":"s2","send":{"event":"reply","to":{"expr":"meta.origin"}}}}},
            "s2":{"on":{"reply":"pass"},"after":{"3s":"fail"}}
            """#
        ),
        (
            "372: done events after the entry actions of a final state, before its exit actions",
            #""initial":"s0","context":{"n":1}"#,
            #"""
            "s0":{"initial":"f","on":{"done.state.s0":[{"guard":"context.n == 2","target":"pass"},
              "fail"]},"states":{"f":{"type":"final","entry":{"assign":{"n":"2"}},
              "exit":{"assign":{"n":"3"}}}}}
            """#
        ),
        (
            "403: preemption keeps the first transition of conflicting ones, and others",
            #""initial":"p0","context":{"n":0}"#,
            #"""
            "p0":{"type":"parallel","entry":[{"raise":"e1"},{"raise":"e2"}],
              "on":{"e2":[{"guard":"context.n == 4","target":"pass"},"fail"]},
              "states":{
                "a":{"on":{"e1":{"assign":{"n":"context.n + 1"}}}},
                "b":{"initial":"b1","on":{"e1":"#fail"},
                  "states":{"b1":{"on":{"e1":{"assign":{"n":"context.n + 3"}}}}}}}}
            """#
        ),
        (
            "487 and 525: an illegal assignment changes nothing; a loop walks a copy",
            #""initial":"s0","context":{"n":1,"l":[1,2,3],"sum":0}"#,
            #"""
            "s0":{"entry":[[{"assign":{"n":"1 / 0"}}],[{"foreach":{"in":"context.l","item":"x",
              "actions":[{"assign":{"l":"context.l + [4]"}},{"assign":{
              "sum":"context.sum + 1"}}]}}]],
              "on":{"error.execution":{"guard":"context.n == 1 && context.sum == 3",
              "target":"pass"},
                    "*":"fail"}}
            """#
        ),
        (
            "504 to 506: which states external and internal transitions leave",
            #""initial":"s1","context":{"p":0,"s11":0,"t":0}"#,
            #"""
            "s1":{"initial":"s11","exit":{"assign":{"p":"context.p + 1"}},
              "entry":[{"raise":"foo"},{"raise":"bar"}],
              "on":{"foo":{"target":".s11","assign":{"t":"context.t + 1"}},
                    "bar":[{"guard":"context.p == 0 && context.s11 == 1 && context.t == 1",
                            "target":"pass"},"fail"]},
              "states":{"s11":{"exit":{"assign":{"s11":"context.s11 + 1"}}}}}
            """#
        ),
        (
            "527 to 529: the output of a final state is any value",
            #""initial":"s0""#,
            #"""
            "s0":{"initial":"f","states":{"f":{"type":"final","output":"'foo'"}},
              "on":{"done.state.s0":[{"guard":"event.output == 'foo'","target":"s1"},"fail"]}},
            "s1":{"initial":"g","states":{"g":{"type":"final","output":21}},
              "on":{"done.state.s1":[{"guard":"event.output == 21","target":"pass"},"fail"]}}
            """#
        ),
        (
            "530: the definition is computed when the invocation starts",
            #""initial":"s0","context":{"def":1}"#,
            #"""
            "s0":{"entry":{"assign":{"def":{"initial":"'f'","states":{"f":{"type":"'final'"}}}}},
              "invoke":{"src":{"machine":{"expr":"context.def"}}},
              "on":{"done.invoke.*":"pass","error.*":"fail"},"after":{"2s":"fail"}}
            """#
        ),
        (
            "554: a failing input starts no invocation",
            #""initial":"s0","context":{"z":0}"#,
            #"""
            "s0":{"entry":{"send":{"event":"timer","delay":"1s"}},
              "invoke":{"input":{"a":"1 / context.z"},"src":{"machine":{"errors":"scxml",
                "initial":"f","states":{"f":{"type":"final"}}}}},
              "on":{"done.invoke.*":"fail","timer":"pass"}}
            """#
        ),
        (
            "576: several initial states, not the defaults",
            ##""initial":["#s11p112","#s11p122"]"##,
            #"""
            "s1":{"initial":"s11","entry":{"send":{"event":"timeout","delay":"1s"}},
              "on":{"timeout":"fail"},"states":{"s11":{"type":"parallel","states":{
                "s11p1":{"initial":"s11p111","states":{"s11p111":{"on":{"In":"#fail"}},
                  "s11p112":{"entry":{"raise":"In"}}}},
                "s11p2":{"initial":"s11p121","states":{"s11p121":{"on":{"In":"#fail"}},
                  "s11p122":{"on":{"In":"#pass"}}}}}}}}
            """#
        ),
        (
            "579: default history actions run after the initial ones, and only without a record",
            #""initial":"s0","context":{"t":""}"#,
            #"""
            "s0":{"initial":{"target":"h","actions":[{"assign":{"t":"context.t + 'i'"}}]},
              "entry":{"assign":{"t":"context.t + 's'"}},
              "on":{"again":"s0","check":[{"guard":"context.t == 'sidasiA'","target":"pass"},
              "fail"]},
              "states":{"h":{"type":"history","target":"a",
                  "actions":[{"assign":{"t":"context.t + 'd'"}}]},
                "a":{"entry":{"assign":{"t":"context.t + 'a'"}},"always":"b"},
                "b":{"entry":{"choose":[
                    {"guard":"context.t == 'sida'","actions":[{"raise":"again"}]},
                    {"actions":[{"assign":{"t":"context.t + 'A'"}},{"raise":"check"}]}]}}}}
            """#
        ),
        (
            "580: a history state is never active",
            #""initial":"p1","context":{"n":0}"#,
            #"""
            "p1":{"type":"parallel","exit":{"assign":{"n":"context.n + 1"}},"states":{
              "s0":{"initial":"sh","states":{"sh":{"type":"history","target":"s01"},
                "s01":{"always":[{"guard":"in('sh')","target":"#fail"},{"guard":"context.n == 0",
                  "target":"#p1","reenter":true},"#pass"]}}},"s1":{}}}
            """#
        ),
    ]

    @Test(arguments: cases.indices)
    func `a machine that checks itself passes`(index: Int) throws {
        let row = Self.cases[index]
        let text = #"""
            {"expect_final":"pass","machine":{"id":"m","errors":"scxml",\#(row.members),"states":{
              \#(row.states),"pass":{"type":"final"},"fail":{"type":"final"}}}}
            """#
        let json = try JSONValue(parsing: Array(text.utf8))
        let problem = ChartCase(json).problem()
        #expect(problem == nil, "\(row.assertion): \(problem ?? "")")
    }

    @Test func `the definitions beside a machine can be invoked by name`() throws {
        let text = #"""
            {"expect_final":"pass","machine":{"id":"m","errors":"scxml","initial":"s0","states":{
              "s0":{"invoke":{"src":"machine:kid","onDone":"pass"}},"pass":{"type":"final"}}},
             "machines":MACHINES}
            """#
        let kid = #"{"id":"kid","initial":"f","states":{"f":{"type":"final"}}}"#
        for machines in [#"{"kid":\#(kid)}"#, "[\(kid)]"] {
            let json = try JSONValue(
                parsing: Array(text.replacing("MACHINES", with: machines).utf8))
            #expect(ChartCase(json).problem() == nil)
        }
        let failing = try JSONValue(parsing: Array(text.replacing("MACHINES", with: "{}").utf8))
        #expect(ChartCase(failing).problem() != nil)
    }
}
