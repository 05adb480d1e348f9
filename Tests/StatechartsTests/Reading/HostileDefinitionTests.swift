import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Definitions that try to exhaust the reader.
struct HostileDefinitionTests {
    @Test func `100,000 states are refused`() {
        var text = #"{"initial":"s0","states":{"#
        text += (0..<100_000).map { "\"s\($0)\":{}" }.joined(separator: ",") + "}}"
        let found = problems(text)
        #expect(found.contains { $0.message.contains("may have 10000 states") })
        #expect(found.count < 5)
    }

    @Test func `10,000 states are read`() throws {
        var text = #"{"initial":"s0","states":{"#
        text +=
            (0..<9_999).map { #""s\#($0)":{"on":{"E\#($0)":"s\#(($0 + 1) % 9_999)"}}"# }
            .joined(separator: ",") + "}}"
        var trial = try Trial(text)
        try trial.send("E0")
        #expect(trial.active == "s1")
    }

    @Test func `states that are nested too deeply are refused`() {
        var text = #"{"id":"z"}"#
        for level in 0..<40 { text = #"{"initial":"a\#(level)","states":{"a\#(level)":\#(text)}}"# }
        #expect(problems(text).contains { $0.message.contains("nested 32 deep") })
    }

    @Test func `a value that is nested too deeply is refused without recursion`() {
        var json = JSONValue.null
        for _ in 0..<5_000 { json = .array([json]) }
        var object = JSONObject()
        object["context"] = .object(["x": json])
        let error = #expect(throws: ChartProblems.self) { try Chart(.object(object)) }
        #expect(error?.all.first?.message.contains("nested deeper than") == true)
        let text = String(repeating: "[", count: 500)
        #expect(problems(text).first?.message.contains("nested too deeply") == true)
    }

    @Test func `many problems are counted, and few are listed`() {
        let states = (0..<3_000).map { #""s\#($0)":{"on":{"E":"nowhere\#($0)"}}"# }
        let found = problems(
            #"{"initial":"s0","states":{"# + states.joined(separator: ",") + "}}")
        #expect(found.count == ChartLimits.problemsMax + 1)
        #expect(found.last?.message == "2900 further problems aren't listed")
    }

    @Test func `an error after many warnings still refuses the definition`() {
        let guards = (0..<150).map { #""g\#($0)":"in('x\#($0)')""# }.joined(separator: ",")
        let found = problems(
            #"{"initial":"a","guards":{\#(guards)},"states":{"a":{}},"zzz":1}"#)
        #expect(found.contains { $0.severity == .error && $0.path == "$.zzz" })
    }

    @Test func `few names are compared with all known ones`() {
        let declared = (0..<300).map { #""event\#($0)":{}"# }.joined(separator: ",")
        let taken = (0..<300).map { #""evemt\#($0)":"a""# }.joined(separator: ",")
        let events = problems(
            #"{"initial":"a","events":{\#(declared)},"states":{"a":{"on":{\#(taken)}}}}"#)
        #expect(events.count == ChartLimits.problemsMax + 1)
        #expect(
            events.count { $0.message.contains("did you mean") } == ChartLimits.suggestionsMax)
        let states = (0..<300).map { #""state\#($0)":{}"# }.joined(separator: ",")
        let calls = (0..<300).map { #"{"log":"in('stare\#($0)')"}"# }.joined(separator: ",")
        let found = problems(
            #"{"initial":"state0","entry":[\#(calls)],"states":{\#(states)}}"#)
        #expect(found.count { $0.message.contains("did you mean") } == ChartLimits.suggestionsMax)
        let members = (0..<300).map { #""member\#($0)":0"# }.joined(separator: ",")
        let reads = (0..<300).map { #"{"log":"context.menber\#($0)"}"# }.joined(separator: ",")
        let unknown = problems(
            #"""
            {"initial":"a","errors":"scxml","context":{\#(members)},"entry":[\#(reads)],
             "states":{"a":{}}}
            """#)
        #expect(
            unknown.count { $0.message.contains("did you mean") } == ChartLimits.suggestionsMax)
    }

    @Test func `constant parts are computed in advance up to a bound of all`() throws {
        // Each takes all steps that one constant part may have, and is slow.
        let part = "'a'.matches('((a{1,100}){1,85})K')"
        let guards = (0..<100).map { number in
            let parts = Array(repeating: part, count: 60).joined(separator: " || ")
            return #"{"guard":"\#(parts) || event.n == \#(number)","target":"b"}"#
        }
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","states":{"a":{"on":{"E":[\#(guards.joined(separator: ","))]}},
                 "b":{}}}
                """#.utf8))
        let steps = chart.transitions.compactMap { $0.condition?.program?.constantSteps }
        #expect(steps.count == 100)
        #expect(steps[0] > 30_000 && steps[99] == 0, "\(steps)")
        #expect(steps.reduce(0, +) <= ChartLimits.constantStepsMax)
    }

    @Test func `machines within share the bounds of the definition`() throws {
        let part = "'a'.matches('((a{1,100}){1,85})K')"
        let parts = Array(repeating: part, count: 60).joined(separator: " || ")
        let states = (0..<60).map { number in
            let inner =
                #"{"initial":"x","states":{"x":{"on":{"E":{"guard":"\#(parts) || event.n == "#
                + #"\#(number)","target":"y"}}},"y":{"type":"final"}}}"#
            return #""s\#(number)":{"invoke":{"src":{"machine":\#(inner)}}}"#
        }
        let text = #"{"initial":"s0","states":{\#(states.joined(separator: ","))}}"#
        for wasAccepted in [false, true] {
            let json = try Chart.json(parsing: Array(text.utf8))
            let chart = try Chart(json, wasAccepted: wasAccepted)
            let steps = chart.inlineCharts.flatMap(\.transitions)
                .compactMap { $0.condition?.program }.filter(\.isCompiled).map(\.constantSteps)
            #expect(steps.count == 60 && steps.reduce(0, +) <= ChartLimits.constantStepsMax)
        }
    }

    @Test func `regular expressions are compiled in advance up to a bound of all`() throws {
        let guards = (0..<20).map {
            #"{"guard":"event.s.matches('^(x{900}|k)\#($0)$')","target":"b"}"#
        }
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","states":{"a":{"on":{"E":[\#(guards.joined(separator: ","))]}},
                 "b":{}}}
                """#.utf8))
        let parts = chart.transitions.compactMap { $0.condition?.program?.constantRegexParts }
        #expect(parts.count == 20)
        #expect(parts[0] > 900 && parts[19] == 0)
        #expect(parts.reduce(0, +) <= ChartLimits.regexPartsMax + parts[0])
        // Those that aren't compiled in advance match all the same.
        var trial = try Trial(
            #"""
            {"initial":"a","states":{"a":{"on":{"E":[\#(guards.joined(separator: ","))]}},
             "b":{}}}
            """#)
        try trial.send("E", #"{"s":"k19"}"#)
        #expect(trial.failures.isEmpty)
        #expect(trial.active == "b")
    }

    @Test func `the members of large contexts and events cost no product of both`() throws {
        let members = (0..<2_000).map { #""m\#($0)":0"# }.joined(separator: ",")
        let events = (0..<2_000).map { #""E\#($0)":{}"# }.joined(separator: ",")
        let on = (0..<2_000).map { #""E\#($0)":{"guard":"context.m\#($0) == 0"}"# }
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","context":{\#(members)},"events":{\#(events)},
                 "states":{"a":{"on":{\#(on.joined(separator: ","))}}}}
                """#.utf8))
        #expect(chart.transitions.count == 2_000)
    }

    @Test func `a transition with many targets is refused`() {
        let targets = String(repeating: #""a","#, count: 5_000) + #""a""#
        let found = problems(
            #"{"initial":"a","states":{"a":{"on":{"E":{"target":[\#(targets)]}}}}}"#)
        #expect(found.contains { $0.message.contains("may have 64 targets") })
    }

    @Test func `a context of 3,000 members is checked and used`() throws {
        let members = (0..<3_000).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
        var trial = try Trial(
            #"""
            {"initial":"a","context":{\#(members)},"states":{"a":{"on":{"E":{
              "guard":"context.m2999 == 2999 && event.n in [1, 2]","target":"b",
              "assign":{"m1":"context.m0 + 5"}}}},"b":{}}}
            """#)
        try trial.send("E", #"{"n":2}"#)
        #expect(trial.active == "b")
        let wrong = #""states":{"a":{"always":{"guard":"context.x"}}}"#
        #expect(problems(#"{"initial":"a","context":{\#(members)},\#(wrong)}"#).count == 1)
    }

    @Test func `hundreds of regions are entered and left within the budget`() throws {
        let regions = (0..<500).map { index in
            #""r\#(index)":{"initial":"a\#(index)","states":{"#
                + #""a\#(index)":{"on":{"E":"b\#(index)"}},"#
                + #""b\#(index)":{"on":{"E":"a\#(index)"}}}}"#
        }
        var trial = try Trial(
            ##"""
            {"initial":"p","states":{"p":{"type":"parallel",
             "on":{"X":{"target":"#a7","reenter":true}},
             "states":{\##(regions.joined(separator: ","))}}}}
            """##)
        try trial.send("E")
        #expect(trial.run.activeStates.allSatisfy { $0.hasPrefix("b") })
        try trial.send("X")
        #expect(trial.failures.isEmpty)
        #expect(trial.run.activeStates.count == 500)
    }

    @Test func `thousands of regions that change for ever reach a limit`() throws {
        let regions = (0..<3_000).map { ##""r\##($0)":{"always":{"target":"#r\##($0)"}}"## }
        let trial = try Trial(
            #"{"initial":"p","states":{"p":{"type":"parallel","states":{"#
                + regions.joined(separator: ",") + "}}}}")
        #expect(trial.failures.map(\.code) == [.stepLimit])
    }

    @Test func `inline machines that are nested too deeply are refused`() {
        var text = #"{"initial":"a","states":{"a":{}}}"#
        for _ in 0..<6 {
            text = #"{"initial":"a","states":{"a":{"invoke":{"src":{"machine":\#(text)}}}}}"#
        }
        #expect(problems(text).contains { $0.message.contains("may be nested 4 deep") })
    }
}
