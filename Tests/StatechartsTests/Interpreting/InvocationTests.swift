import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Invocations (SCXML 6.4 and 6.5).
struct InvocationTests {
    /// A parent with an inline child.
    private func family(
        _ child: String, invoke: String = "", on: String = "", errors: String = "scxml"
    ) throws -> Trial {
        try Trial(
            #"""
            {"id":"mother","errors":"\#(errors)","initial":"a","context":{"n":5,"got":null},
             "on":{\#(on)"leave":"b"},
             "states":{"a":{"invoke":{"id":"kid",\#(invoke)"src":{"machine":\#(child)}}},"b":{}}}
            """#)
    }

    @Test func `done.invoke comes with the output, after what the child has sent`() throws {
        let trial = try family(
            #"""
            {"initial":"f","states":{"f":{"type":"final","output":{"n":"41 + 1"},
              "entry":{"send":{"event":"one","to":"parent"}},
              "exit":{"send":{"event":"two","to":"parent"}}}}}
            """#, on: #""*":{"log":"[event.type, meta.kind, meta.invoke]"},"#)
        #expect(
            trial.log == [
                #"["one","external","kid"]"#, #"["two","external","kid"]"#,
                #"["done.invoke.kid","platform","kid"]"#,
            ])
        #expect(trial.run.instanceStates.count == 1)
    }

    @Test func `onDone and onError are short for the events of the invocation`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","context":{"got":0},"states":{
              "a":{"invoke":{"src":"pay","input":{"n":"1"},
                   "onDone":{"target":"b","assign":{"got":"event.output.x"}},"onError":"c"}},
              "b":{"invoke":{"src":"pay","onError":{"target":"c","log":"event.error"}}},"c":{}}}
            """#)
        #expect(trial.run.pending.map(\.invocation.id) == ["a.0"])
        #expect(trial.run.pending.first?.invocation.input?.json == ["n": 1])
        #expect(try trial.run.answer("a.0", with: .map(Trial.map(#"{"x":7}"#))))
        #expect(trial.context == #"{"got":7}"#)
        #expect(try trial.run.fail("b.0", code: "TIMEOUT", message: "too late"))
        #expect(trial.active == "c")
        #expect(trial.log == [#"{"code":"TIMEOUT","message":"too late"}"#])
        #expect(try !trial.run.answer("b.0", with: .null))
    }

    @Test func `the end of a stopped invocation changes nothing when it runs again`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","strict":true,"states":{
                  "a":{"invoke":{"id":"pay","src":"pay","onDone":"paid"},"on":{"AGAIN":"b"}},
                  "b":{"always":"a"},"paid":{}}}
                """#.utf8))
        let start = try #require(CELTimestamp(seconds: 0))
        let environment = ChartEnvironment(now: start, id: "i", machine: "m")
        var state = try chart.start(environment).state
        state = try chart.step(state, ChartEvent("AGAIN", CELMap()), environment).state
        #expect(state.invocations.map(\.serial) == [2])
        var done = ChartEvent.platform("done.invoke.pay", "output", .int(1))
        done.invocation = "pay"
        done.invocationSerial = 1
        let late = try chart.step(state, done, environment)
        #expect(!late.isChanged && chart.activeStates(of: late.state) == ["a"])
        done.invocationSerial = 2
        let taken = try chart.step(state, done, environment)
        #expect(chart.activeStates(of: taken.state) == ["paid"])
    }

    @Test func `an invocation starts at the end of the macrostep, in entry order, if still active`()
        throws
    {
        let trial = try Trial(
            #"""
            {"initial":"a","states":{
              "a":{"invoke":{"src":"never"},"always":"p"},
              "p":{"type":"parallel","invoke":{"id":"i0","src":"x"},"entry":{"raise":"E"},"states":{
                "q":{"invoke":[{"id":"i1","src":"x"},{"id":"i2","src":"x"}]},
                "r":{"invoke":{"id":"i3","src":"x"}}}}}}
            """#)
        #expect(trial.run.pending.map(\.invocation.id) == ["i0", "i1", "i2", "i3"])
    }

    @Test func `a state that is left stops its invocation: exit actions run, nothing arrives`()
        throws
    {
        var trial = try family(
            #"""
            {"initial":"x","states":{"x":{
              "entry":{"send":{"event":"late","to":"parent","delay":"1s"}},
              "exit":[{"log":"'exit'"},{"send":{"event":"bye","to":"parent"}}]}}}
            """#, on: #""bye":{},"late":{},"done.invoke.*":{},"#)
        try trial.send("leave")
        try trial.run.advance(milliseconds: 5_000)
        #expect(trial.log == [#""exit""#])
        #expect(trial.taken == ["leave"])
        #expect(trial.run.instanceStates.count == 1)
    }

    @Test func `input replaces members of the child's context, and others are dropped`() throws {
        let trial = try family(
            #"""
            {"initial":"x","context":{"n":0,"twice":{"expr":"context.n * 2"}},
             "states":{"x":{"entry":{"log":"context"}}}}
            """#, invoke: #""input":{"n":"context.n","other":"1"},"#)
        #expect(trial.log == [#"{"n":5,"twice":10}"#])
    }

    @Test func `a child is sent to by its invocation, and answers the origin`() throws {
        var trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","states":{"a":{
              "invoke":{"id":"kid","src":{"machine":{"errors":"scxml","initial":"x","states":{"x":{
                "on":{"ping":{"send":{"event":"pong","to":{"expr":"meta.origin"}}}}}}}}},
              "after":{"1s":{"send":{"event":"ping","to":"child:kid"}}},
              "on":{"pong":{"log":"meta.invoke"}}}}}
            """#)
        try trial.run.advance(milliseconds: 1_000)
        #expect(trial.log == [#""kid""#])
    }

    @Test func `finalize runs before transitions are chosen, for events of that invocation`() throws
    {
        var trial = try family(
            #"""
            {"initial":"x","states":{"x":{"entry":{"send":{"event":{"type":"E","n":"9"},
              "to":"parent"}}}}}
            """#, invoke: #""finalize":[{"assign":{"got":"event.n"}}],"#,
            on: #""E":{"guard":"context.got == 9","target":"b"},"F":{"log":"context.got"},"#)
        #expect(trial.active == "b")
        trial = try family(
            #"{"initial":"x","states":{"x":{}}}"#,
            invoke: #""finalize":[{"assign":{"got":"1"}}],"#, on: #""F":{"log":"context.got"},"#)
        try trial.send("F")
        #expect(trial.log == ["null"])
    }

    @Test func `what a child sends arrives only while its invocation runs`() throws {
        var trial = try family(
            #"""
            {"initial":"x","states":{"x":{"on":{"PING":{"send":{"event":"hello","to":"parent"}}}}}}
            """#,
            on: #""GO":{"actions":[{"send":{"event":"PING","to":"child:kid"}},"#
                + #"{"send":{"event":"leave"}}]},"hello":{"log":"meta.invoke"},"#
                + #""ASK":{"send":{"event":"PING","to":"child:kid"}},"#)
        try trial.send("ASK")
        #expect(trial.log == [#""kid""#])
        try trial.send("GO")
        #expect(trial.active == "b")
        #expect(trial.log == [#""kid""#])
    }

    @Test func `autoforward hands every external event on unchanged`() throws {
        var trial = try family(
            #"{"initial":"x","states":{"x":{"on":{"*":{"log":"[event.n, meta.via]"}}}}}"#,
            invoke: #""autoforward":true,"#)
        try trial.send("E", #"{"n":3}"#)
        #expect(trial.log == [#"[3,"client"]"#])
    }

    @Test func `the source is a machine by name, or computed`() throws {
        let kid = #"{"id":"kid","initial":"f","states":{"f":{"type":"final","output":{"n":"1"}}}}"#
        for source in [
            #""machine:kid""#, #"{"expr":"'machine:' + 'kid'"}"#,
            #"{"machine":{"expr":"context.def"}}"#, #"{"expr":"{'machine': context.def}"}"#,
        ] {
            let trial = try Trial(
                #"""
                {"initial":"a","context":{"def":{"initial":"f","states":{"f":{"type":"final",
                  "output":{"n":"1"}}}}},
                 "states":{"a":{"invoke":{"src":\#(source),"onDone":{"target":"b",
                   "log":"event.output.n"}}},"b":{}}}
                """#, machines: ["kid": kid])
            #expect(trial.log == ["1"], "\(source)")
        }
    }

    @Test(arguments: [#""machine:nobody""#, #"{"machine":{"expr":"{'states': 1}"}}"#])
    func `an invocation that can't be started has failed`(source: String) throws {
        let trial = try Trial(
            #"{"initial":"a","states":{"a":{"invoke":{"src":\#(source),"onError":"b"}},"b":{}}}"#)
        #expect(trial.active == "b")
    }

    @Test func `a child that fails at its start has failed`() throws {
        let trial = try Trial(
            #"""
            {"initial":"a","states":{"a":{"invoke":{"src":{"machine":{"initial":"x",
              "context":{"z":0,"n":{"expr":"1 / context.z"}},"states":{"x":{}}}},
              "onError":{"target":"b","log":"event.error.code"}}},"b":{}}}
            """#)
        #expect(trial.log == [#""EVAL_ERROR""#])
    }

    @Test func `a failing input starts no invocation and raises error.execution`() throws {
        let trial = try family(
            #"{"initial":"x","states":{"x":{"entry":{"log":"'started'"}}}}"#,
            invoke: #""input":{"n":"1 / (context.n - 5)"},"#,
            on: #""error.execution":{"target":"b"},"#)
        #expect(trial.active == "b")
        #expect(trial.log.isEmpty)
    }

    @Test func `requests and handlers can't be sent to`() throws {
        var trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","states":{"a":{"invoke":{"id":"i","src":"pay"},
              "after":{"1s":{"send":{"event":"E","to":"child:i"}}},
              "on":{"error.communication":"b"}},"b":{}}}
            """#)
        try trial.run.advance(milliseconds: 1_000)
        #expect(trial.active == "b")
    }

    @Test func `a made id is stored in the context`() throws {
        let trial = try Trial(
            #"""
            {"initial":"a","context":{"id":""},"states":{"a":{"invoke":[{"src":"x"},
              {"src":"x","id":{"assign":"id"}}]}}}
            """#)
        #expect(trial.context == #"{"id":"a.1"}"#)
        #expect(trial.run.pending.map(\.invocation.id) == ["a.0", "a.1"])
    }

    @Test func `a request has its method, URL, headers, body, attempts and time limit`() throws {
        let trial = try Trial(
            #"""
            {"id":"order","initial":"a","states":{"a":{"invoke":{"src":"http","method":"PUT",
              "url":{"expr":"'https://a.example/' + self.id"},
              "headers":{"x-one":"1","x-two":{"expr":"'2'"}},"body":{"order":"self.id"},
              "retry":{"max":8,"interval":"1s","backoff":2,"cap":"5m","jitter":true},
              "timeout":"30s"}}}}
            """#)
        let invocation = try #require(trial.run.pending.first?.invocation)
        guard case .http(let request) = invocation.source else {
            Issue.record("no request")
            return
        }
        #expect(request.method == "PUT")
        #expect(request.url == "https://a.example/main")
        #expect(CELValue.map(request.headers).json == ["x-one": "1", "x-two": "2"])
        #expect(request.body?.json == ["order": "main"])
        let retry: ChartInvocation.Retry = try #require(invocation.retry)
        #expect(retry.attemptsMax == 8)
        #expect(retry.interval == 1_000)
        #expect(retry.backoff == 2)
        #expect(retry.cap == 300_000)
        #expect(retry.isJittered == true)
        #expect(invocation.timeout == 30_000)
    }

    @Test func `a header may name a secret of the server, which is never computed`()
        throws
    {
        func trial(_ headers: String) throws -> Trial {
            try Trial(
                #"""
                {"initial":"a","states":{"a":{"invoke":{"src":"http","url":"u",
                  "headers":\#(headers)}}}}
                """#)
        }
        let named = try trial(#"{"a":{"secret":"stripe","prefix":"Bearer "}}"#)
        guard case .http(let request)? = named.run.pending.first?.invocation.source else {
            Issue.record("no request")
            return
        }
        #expect(
            CELValue.map(request.headers).json
                == ["a": ["secret": "stripe", "prefix": "Bearer "]])
        let computed = try trial(#"{"expr":"{'a': {'secret': 'stripe'}}"}"#)
        #expect(computed.run.pending.isEmpty)
        #expect("\(computed.run.records)".contains("a secret is named in the definition"))
        for headers in [#"{"a":{"secret":5}}"#, #"{"a":{"secret":"s","value":"x"}}"#] {
            #expect(throws: (any Error).self) { try trial(headers) }
        }
    }

    @Test func `an answer to an invocation that was stopped and started again doesn't count`()
        throws
    {
        var trial = try Trial(
            #"""
            {"initial":"a","states":{"a":{"invoke":{"id":"i","src":"x","onDone":"b"},
              "on":{"again":"a"}},"b":{}}}
            """#)
        try trial.send("again")
        #expect(trial.run.pending.count == 1)
        let state = try #require(trial.run.state)
        #expect(state.invocations.map(\.serial) == [2])
        try trial.run.answer("i", with: .null)
        #expect(trial.active == "b")
    }
}
