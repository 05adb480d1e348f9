import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Problems of definitions: each has its path, and a message that tells what to do.
struct ChartReaderTests {
    static let errors: [(definition: String, path: String, message: String)] = [
        ("[1]", "$", "a definition is an object"),
        (#"{"id":"a"}"#, "$", "a definition has 'states'"),
        (#"{"initial":"a","states":[]}"#, "$.states", "'states' is an object"),
        (#"{"initial":"a","states":{"a":1}}"#, "$.states.a", "a state is an object"),
        (#"{"initial":"a","states":{"a":{}},"stats":1}"#, "$.stats", "did you mean 'states'?"),
        (#"{"id":"1a","initial":"a","states":{"a":{}}}"#, "$.id", "a machine's id is a letter"),
        (#"{"version":1,"initial":"a","states":{"a":{}}}"#, "$.version", "a version is a text"),
        (#"{"version":" 1","initial":"a","states":{"a":{}}}"#, "$.version", "without blanks"),
        (#"{"version":"1\n2","initial":"a","states":{"a":{}}}"#, "$.version", "without controls"),
        (#"{"version":"0+12","initial":"a","states":{"a":{}}}"#, "$.version", "of the server"),
        (#"{"errors":"on","initial":"a","states":{"a":{}}}"#, "$.errors", "'errors' is"),
        (#"{"strict":1,"initial":"a","states":{"a":{}}}"#, "$.strict", "true or false"),
        (#"{"initial":"b","states":{"abc":{}}}"#, "$.initial", "the machine has no child 'b'"),
        (#"{"initial":"abd","states":{"abc":{}}}"#, "$.initial", "did you mean 'abc'?"),
        (#"{"states":{"a":{}}}"#, "$", #"'initial' is missing: name a child"#),
        (#"{"initial":"a","states":{"a":{"states":{"b":{}}}}}"#, "$.states.a", "'initial'"),
        (#"{"initial":"a","states":{"a":{"on":{"x":"b"}}}}"#, "$.states.a.on.x", "no child 'b'"),
        (
            ##"{"initial":"a","states":{"a":{"on":{"x":[{},{"target":"#b"}]}}}}"##,
            "$.states.a.on.x[1].target", "no state with the id 'b'"
        ),
        (
            #"""
            {"initial":"a","states":{"a":{"on":{"x":"c"}},"b":{"initial":"c","states":{"c":{
            }}}}}
            """#,
            "$.states.a.on.x", ##"write "#c" for the one elsewhere"##
        ),
        (
            #"""
            {"initial":"a","states":{"a":{"initial":"c","states":{"c":{}}},"b":{"initial":"c",
            "states":{"c":{}}}}}
            """#,
            "$.states.b.states.c", #"give one of them an "id""#
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"x":{"target":["b","c"]}}},"b":{},"c":{}}}"#,
            "$.states.a.on.x.target[1]", "can't be active together"
        ),
        (
            ##"""
            {"initial":"a","states":{"a":{"on":{"x":{"target":["#h","#d"]}}},"p":{
            "type":"parallel","states":{"h":{"type":"history","target":["#e","#g"]},
            "b":{"initial":"d","states":{"d":{},"e":{}}},"c":{"initial":"f","states":{"f":{},"g":{
            }}}}}}}
            """##,
            "$.states.a.on.x.target[1]", "can't be active together"
        ),
        (
            ##"{"initial":"#c","states":{"a":{"initial":"#b","states":{"d":{}}},"b":{},"c":{}}}"##,
            "$.states.a.initial", "lies within its state"
        ),
        (#"{"initial":"a","states":{"a.b":{},"a":{}}}"#, #"$.states["a.b"]"#, "has no '.'"),
        (
            "{\"initial\":\"a\",\"states\":{\"a\":{},\"\u{e9}\":{},"
                + "\"e\u{301}\":{\"id\":\"b\"}}}",
            "$.states[\"e\u{301}\"]", "has the same name"
        ),
        (#"{"initial":"a","states":{"a":{"type":"fianl"}}}"#, "$.states.a.type", "'final'?"),
        (
            #"{"initial":"a","states":{"a":{"type":"final","on":{}}}}"#, "$.states.a.on",
            "no meaning"
        ),
        (#"{"initial":"a","states":{"a":{"output":{}}}}"#, "$.states.a.output", "no meaning"),
        (
            #"{"initial":"a","states":{"a":{"initial":"b"}}}"#, "$.states.a.initial",
            "needs 'states'"
        ),
        (#"{"initial":"a","states":{"a":{"type":"parallel"}}}"#, "$.states.a.type", "has 'states'"),
        (
            #"{"initial":"a","states":{"a":{"type":"parallel","states":{"b":{"type":"final"}}}}}"#,
            "$.states.a.states.b", "can't be final"
        ),
        (
            #"{"initial":"a","states":{"a":{},"h":{"type":"history","history":"long"}}}"#,
            "$.states.h.history", #""shallow" or "deep""#
        ),
        (
            #"""
            {"initial":"a","states":{"a":{},"h":{"type":"history","target":"g"},"g":{
            "type":"history","target":"a"}}}
            """#,
            "$.states.h", "can't be another one of the same state"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"x":{"targt":"b"}}}}}"#, "$.states.a.on.x.targt",
            "'target'?"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"a*":{}}}}}"#, #"$.states.a.on["a*"]"#,
            "'*' is allowed"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":[{"target":"a"}]}}}"#, "$.states.a.on[0]",
            "with 'event'"
        ),
        (#"{"initial":"a","states":{"a":{"always":5}}}"#, "$.states.a.always", "a transition is"),
        (#"{"initial":"a","states":{"a":{"after":[{}]}}}"#, "$.states.a.after[0]", "with 'delay'"),
        (
            #"{"initial":"a","states":{"a":{"after":{"1 hour":"a"}}}}"#,
            #"$.states.a.after["1 hour"]"#, ""
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":["log"]}}}"#, "$.states.a.entry[0]",
            "an action is"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"raise":"x","log":"1"}}}}"#,
            "$.states.a.entry", "an action has one word"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":[{"asign":{}}]}}}"#,
            "$.states.a.entry[0].asign", "'assign'?"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"assign":{"n":"1"}}}}}"#,
            "$.states.a.entry.assign.n", "no member 'n': declare it"
        ),
        (
            #"""
            {"initial":"a","context":{"n":1},"states":{"a":{"entry":{"assign":{
            "context.n":"1"}}}}}
            """#,
            #"$.states.a.entry.assign["context.n"]"#, "without 'context.'"
        ),
        (
            #"{"initial":"a","context":{"n":1},"states":{"a":{"entry":{"assign":{"n[":"1"}}}}}"#,
            #"$.states.a.entry.assign["n["]"#, "is no location"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"assign":{"self":"1"}}}}}"#,
            "$.states.a.entry.assign.self", "can't be assigned"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"raise":{}}}}}"#, "$.states.a.entry.raise",
            "its type"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"send":{"to":"self"}}}}}"#,
            "$.states.a.entry.send", "with 'event'"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"send":{"event":"x","to":"nobody"}}}}}"#,
            "$.states.a.entry.send.to", "is no recipient"
        ),
        (
            #"""
            {"initial":"a","states":{"a":{"entry":{"send":{"event":"x","to":"internal",
            "delay":"1s"}}}}}
            """#,
            "$.states.a.entry.send.to", "has no delay"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"send":{"event":"x","via":"post"}}}}}"#,
            "$.states.a.entry.send.via", "there is no other way"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"send":{"event":"x","delay":"soon"}}}}}"#,
            "$.states.a.entry.send.delay", "this is no delay"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"foreach":{"item":"x"}}}}}"#,
            "$.states.a.entry.foreach", "with 'in', 'item'"
        ),
        (
            #"{"initial":"a","states":{"a":{"entry":{"foreach":{"in":"[1]","item":"a b"}}}}}"#,
            "$.states.a.entry.foreach.item", "use letters and digits"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"x":{"guard":"1 +"}}}}}"#,
            "$.states.a.on.x.guard", "line 1, column"
        ),
        (
            #"""
            {"initial":"a","context":{"n":1},"states":{"a":{"on":{"x":{
            "guard":"context.m > 0"}}}}}
            """#,
            "$.states.a.on.x.guard", "there is no member 'm'"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"x":{"guard":"1"}}}}}"#, "$.states.a.on.x.guard",
            "bool"
        ),
        (
            #"{"initial":"a","states":{"a":{"on":{"x":{"guard":1}}}}}"#, "$.states.a.on.x.guard",
            "a guard is"
        ),
        (
            #"{"initial":"a","guards":{"g":1},"states":{"a":{}}}"#, "$.guards.g",
            "an expression in a string"
        ),
        (#"{"initial":"a","events":{"E":1},"states":{"a":{}}}"#, "$.events.E", "a JSON Schema"),
        (#"{"initial":"a","states":{"a":{"invoke":{}}}}"#, "$.states.a.invoke", "with 'src'"),
        (
            #"{"initial":"a","states":{"a":{"invoke":{"src":"http"}}}}"#, "$.states.a.invoke",
            "a request needs 'url'"
        ),
        (
            #"{"initial":"a","states":{"a":{"invoke":{"src":"pay","url":"x"}}}}"#,
            "$.states.a.invoke.url", #"is for "src":"http" only"#
        ),
        (
            #"{"initial":"a","states":{"a":{"invoke":{"src":"machine:m","retry":{}}}}}"#,
            "$.states.a.invoke.retry", "no meaning for a machine"
        ),
        (
            #"{"initial":"a","states":{"a":{"invoke":{"src":"pay","retry":{"max":0}}}}}"#,
            "$.states.a.invoke.retry.max", "a number of attempts"
        ),
        (
            #"""
            {"initial":"a","states":{"a":{"invoke":{"src":"pay","id":{"expr":"'x'"},
            "onDone":"a"}}}}
            """#,
            "$.states.a.invoke.onDone", "the id is computed"
        ),
        (
            #"""
            {"initial":"a","states":{"a":{"invoke":{"src":{"machine":{"initial":"x","states":{
            "y":{}}}}}}}}
            """#,
            "$.states.a.invoke.src.machine.initial", "no child 'x'"
        ),
        (#"{"initial":"a","states":{"a":{"defer":5}}}"#, "$.states.a.defer", "an event descriptor"),
        (#"{"initial":"a","states":{"a":{"tags":5}}}"#, "$.states.a.tags", "a list of texts"),
        (#"{"initial":"a","onDone":"a","states":{"a":{}}}"#, "$.onDone", "has no transitions"),
    ]

    @Test(arguments: errors.indices)
    func `an error has its path and says what to do`(index: Int) {
        let row = Self.errors[index]
        let found = problems(row.definition)
        let matches = found.contains {
            $0.severity == .error && $0.path == row.path && $0.message.contains(row.message)
        }
        #expect(matches, "\(row) in \(found)")
    }

    @Test func `all problems are found at once`() {
        let found = problems(
            #"{"initial":"x","colour":1,"states":{"a":{"on":{"E":{"guard":"1 +","target":"y"}}}}}"#)
        #expect(
            found.filter { $0.severity == .error }.map(\.path) == [
                "$.colour", "$.states.a.on.E.guard", "$.states.a.on.E.target", "$.initial",
            ])
    }

    @Test func `a text that isn't JSON is refused with line and column`() {
        let found = problems("{\n  oops").first
        #expect(found?.message.hasPrefix("this is no JSON: ") == true)
        #expect(found?.line == 2 && found?.column == 3)
    }

    @Test func `where failures are events, faults of expressions and addresses are warnings`() {
        let found = problems(
            #"""
            {"errors":"scxml","initial":"a","context":{"n":1},"on":{"E":{}},"states":{"a":{"entry":[
              {"assign":{"m":"1"}},{"assign":{"n":"1 +"}},{"send":{"event":"x","to":"?"}},
              {"send":{"event":"x","delay":"?"}},{"foreach":{"in":"[]","item":"1"}}]}}}
            """#)
        #expect(found.count == 5)
        #expect(found.allSatisfy { $0.severity == .warning })
    }

    @Test func `a branch after one without guard, and an unknown state in a call, are warnings`() {
        let found = problems(
            #"""
            {"initial":"busy","on":{"E":{}},"states":{"busy":{"entry":{"choose":[{"actions":[]},
            {"guard":
            "in('bussy')"}]}}}}
            """#)
        #expect(found.map(\.severity) == [.warning, .warning])
        #expect(found.contains { $0.message.contains("never taken") })
        #expect(found.contains { $0.message.contains("did you mean 'busy'?") })
    }

    @Test func `a wrong regular expression is a warning`() {
        let found = problems(
            #"""
            {"initial":"a","context":{"s":""},
             "states":{"a":{"on":{"E":{"guard":"context.s.matches('(')","target":"b"}}},"b":{
             "type":"final"}}}
            """#)
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.message.hasPrefix("the regular expression is wrong: ") == true)
    }

    @Test func `a name may begin with a scalar that combines with the mark before it`() throws {
        let definition = ##"""
            {"initial":"a","states":{
             "a":{"initial":"\u0301x","states":{"\u0301x":{}},
                  "on":{"IN":".\u0301x","ID":"#\u0301i"}},
             "b":{"id":"\u0301i","always":{"guard":"in('a.\u0301x')","target":"a"}}}}
            """##
        #expect(problems(definition).isEmpty)
    }

    @Test func `a problem of an expression shows its place`() throws {
        let found = problems(
            #"""
            {"initial":"a","context":{"x":"y"},"states":{"a":{"always":{
            "guard":"1 + 'a' == 2"}}}}
            """#
        )
        let expression = try #require(found.first?.expression)
        #expect(expression.line == 1)
        #expect(found.first?.description.contains("| 1 + 'a' == 2") == true)
        #expect(ChartProblems(found).description.contains("error: $.states.a.always.guard"))
    }

    @Test func `the words for people don't change the chart`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"$schema":"x","id":"m","version":"2.1.0","description":"d","initial":"a",
                 "events":{"E":{"type":"object"}},"states":{"a":{"description":"d","tags":["t"],
                 "on":{"E":{"description":"d"}}}}}
                """#.utf8))
        #expect(chart.warnings.isEmpty)
        #expect(chart.name == "m")
        #expect(chart.version == "2.1.0")
        #expect(chart.events.count == 1)
        #expect(chart.states[1].tags == ["t"])
    }

    @Test func `the machines and handlers that it calls are known`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","states":{"a":{"invoke":[{"src":"machine:kid"},{"src":"pay"},
                 {"src":"http","url":"https://a.example"},{"src":"machine:aunt"}]}}}
                """#.utf8))
        #expect(chart.machines == ["aunt", "kid"])
        #expect(chart.handlers == ["pay"])
    }

    @Test func `an order with payment, carrier and people has no errors`() throws {
        let text = #"""
            {"id":"order","version":"2.1.0","initial":"cart",
             "events":{"PAY":{"type":"object","required":["amount"],
               "properties":{"amount":{"type":"integer","minimum":1}}}},
             "context":{"total":0,"paid":0},
             "guards":{"covers":"context.paid + event.amount >= context.total"},
             "states":{
              "cart":{"on":{"ADD":{"assign":{"total":"context.total + event.price"}},
                "CHECKOUT":{"guard":"context.total > 0","target":"paying"}}},
              "paying":{"after":{"30m":"expired"},"on":{"PAY":[
                {"guard":"covers","target":"shipping",
                 "assign":{"paid":"context.paid + event.amount"}},
                {"assign":{"paid":"context.paid + event.amount"}}]}},
              "shipping":{"invoke":{"id":"ship","src":"http","method":"POST",
                "url":"https://carrier.example/v1/ship","body":{"order":"self.id"},
                "retry":{"max":8,"interval":"1s","backoff":2,"cap":"5m","jitter":true},
                "timeout":"30s",
                "onDone":{"target":"done",
                  "emit":{"type":"shipped","track":"event.output.body.track"}},
                "onError":"manual"}},
              "manual":{"on":{"RETRY":"shipping","CANCEL":"cancelled"}},
              "expired":{"type":"final"},"cancelled":{"type":"final"},
              "done":{"type":"final","output":{"ok":"true"}}}}
            """#
        let found = problems(text)
        #expect(found.allSatisfy { $0.message.contains("isn't declared in 'events'") })
        var trial = try Trial(text)
        try trial.send("ADD", #"{"price":5}"#)
        try trial.send("CHECKOUT")
        try trial.send("PAY", #"{"amount":5}"#)
        #expect(trial.active == "shipping")
        #expect(
            trial.stored
                == #"""
                {"value":"shipping","context":{"total":5,"paid":5},"invoked":[{"id":"ship",\#
                "state":"shipping","position":0,"serial":1}],"serial":1}
                """#)
        try trial.run.fail("ship", code: "HTTP", message: "500")
        try trial.send("RETRY")
        try trial.run.answer("ship", with: .map(Trial.map(#"{"body":{"track":"T1"}}"#)))
        #expect(trial.outputs == [#"{"type":"shipped","track":"T1"}"#])
        #expect(trial.run.output?.json == ["ok": true])
    }
}
