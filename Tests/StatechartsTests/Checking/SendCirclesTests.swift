import OrderedJSON
import Testing

@testable import Statecharts

/// Circles of events that a machine sends itself.
@Suite struct SendCirclesTests {
    private func circles(_ text: String) throws -> [[String]] {
        let (draft, problems) = ChartReader.read(try JSONValue(parsing: Array(text.utf8)))
        #expect(!problems.contains { $0.severity == .error }, "\(problems)")
        var circles = SendCircles(draft, Reachability.all(of: draft))
        return circles.find().map(\.causes)
    }

    /// The circles of a machine with one state, `a`, that takes `GO` and `E`, and one, `z`, to
    /// which `Z` leads.
    private func circles(go: String, event: String = "{}", other: String = "") throws -> [[String]]
    {
        try circles(
            #"""
            {"initial":"a","context":{"n":0},"states":{"a":{
             "on":{"GO":\#(go),"E":\#(event),"Z":"z"}\#(other)},"z":{"on":{"BACK":"a"}}}}
            """#)
    }

    @Test func `each circle is found once, wherever it is entered`() throws {
        let states = #"""
            "a":{"on":{"A":{"target":"b","send":{"event":"B"}},
              "IN":{"target":"c","send":{"event":"C"}}}},
            "b":{"on":{"B":{"target":"c","send":{"event":"C"}}}},
            "c":{"on":{"C":{"target":"b","send":{"event":"B"}}}}
            """#
        #expect(
            try circles(#"{"initial":"a","states":{\#(states)}}"#) == [["'B'", "'C'", "'B'"]])
    }

    @Test func `entries and exits on the way count`() throws {
        func chart(_ exit: String) -> String {
            #"""
            {"initial":"a","states":{
             "a":{"entry":{"send":{"event":"GO"}},"exit":\#(exit),"on":{"GO":"b"}},
             "b":{"on":{"GO":"a","STOP":"c"},"entry":{"send":{"event":"GO"}}},
             "c":{"on":{"AGAIN":"a"}}}}
            """#
        }
        #expect(try circles(chart("[]")) == [["'GO'", "'GO'", "'GO'"]])
        // A second event comes before the one of the entry, and leads elsewhere.
        #expect(try circles(chart(#"{"send":{"event":"STOP"}}"#)) == [])
    }

    static let own = #"{"send":{"event":"GO"}}"#

    @Test(arguments: [
        // Without time: valid, and as quick as none.
        #"{"send":{"event":"GO","delay":"0s"}}"#,
        #"{"send":{"event":"GO","delay":0}}"#,
        // Beside others: one more to itself, one to another machine, one later, and a raised one.
        #"[{"actions":[\#(own),\#(own)]}]"#,
        #"[{"actions":[\#(own),{"send":{"event":"GO","to":"m/1"}}]}]"#,
        #"[{"actions":[\#(own),{"send":{"event":"Z","delay":"1s"}}]}]"#,
        #"[{"actions":[{"raise":"OTHER"},\#(own)]}]"#,
        #"[{"actions":[\#(own),{"send":{"event":"OTHER"}}]}]"#,
        // By the event that it raises, or by every branch.
        #"{"raise":"E"}"#,
        #"{"choose":[{"guard":"context.n > 1","actions":[{"log":"1"},\#(own)]},"#
            + #"{"actions":[\#(own)]}]}"#,
        #"[{"guard":"true","actions":[\#(own)]}]"#,
        #"[{"actions":[{"foreach":{"in":"[1]","item":"n","actions":[{"log":"1"}]}},\#(own)]}]"#,
    ])
    func `a send to itself is found beside what doesn't end it`(go: String) throws {
        let event = go.contains("raise\":\"E") ? Self.own : "{}"
        #expect(try circles(go: go, event: event) == [["'GO'", "'GO'"]])
    }

    @Test(arguments: [
        // Another event leaves the state first, or may do so.
        #"[{"actions":[{"send":{"event":"Z"}},\#(own)]}]"#,
        #"[{"actions":[\#(own),{"send":{"event":"Z"}}]}]"#,
        #"[{"actions":[{"raise":"Z"},\#(own)]}]"#,
        #"[{"actions":[\#(own),{"send":{"event":"E"}}]}]"#,
        // Not in every case, or an unknown number of times.
        #"{"choose":[{"guard":"context.n > 1","actions":[\#(own)]}]}"#,
        #"{"choose":[{"guard":"context.n > 1","actions":[\#(own)]},{"actions":[]}]}"#,
        #"{"foreach":{"in":"[1]","item":"n","actions":[\#(own)]}}"#,
        // To others, later, computed, canceled.
        #"{"send":{"event":"GO","to":"parent"}}"#,
        #"{"send":{"event":"GO","delay":"1ms"}}"#,
        #"{"send":{"event":"GO","delay":{"expr":"context.n"}}}"#,
        #"{"send":{"event":{"type":{"expr":"'GO'"}}}}"#,
        #"[{"actions":[{"send":{"event":"GO","id":"i","delay":"0s"}},{"cancel":"i"}]}]"#,
    ])
    func `a send to itself that ends, or may end, isn't reported`(go: String) throws {
        let event = #"{"guard":"context.n > 0","target":"z"}"#
        #expect(try circles(go: go, event: event) == [])
    }

    @Test func `timers without time are a part of circles`() throws {
        func chart(_ a: String, _ b: String) -> String {
            #"""
            {"initial":"a","states":{"a":{\#(a)},"b":{\#(b)},"z":{"on":{"BACK":"a"}}}}
            """#
        }
        let other = #""after":{"0ms":"a"},"on":{"Z":"z"}"#
        #expect(
            try circles(chart(#""after":{"0s":"b"}"#, other))
                == [["the timer of 'a'", "the timer of 'b'", "the timer of 'a'"]])
        #expect(
            try circles(chart(#""entry":{"send":{"event":"GO"}},"on":{"GO":"b"}"#, other))
                == [["'GO'", "the timer of 'b'", "'GO'"]])
        // One that waits, one with a guard, one that runs once, and one beside an event.
        for a in [
            #""after":{"1s":"b"}"#, #""after":{"0s":{"target":"b","guard":"now > timestamp(0)"}}"#,
            #""after":{"0s":{"log":"1"}},"on":{"GO":"b"}"#,
            #""after":{"0s":"b"},"entry":{"send":{"event":"BACK"}},"on":{"BACK":"z"}"#,
        ] {
            #expect(try circles(chart(a, other)) == [], "\(a)")
        }
    }

    @Test func `a circle in a state that is never entered is no circle`() throws {
        let states = #""a":{"on":{"GO":{}}},"b":{"on":{"GO":{"send":{"event":"GO"}}}}"#
        #expect(try circles(#"{"initial":"a","states":{\#(states)}}"#) == [])
        #expect(try circles(#"{"initial":"b","states":{\#(states)}}"#) == [["'GO'", "'GO'"]])
    }

    @Test func `many transitions into a state with many actions are read at once`() throws {
        let on = (0..<8_000).map { #""E\#($0)":"b""# }.joined(separator: ",")
        let sends = (0..<8_000).map { #"{"send":{"event":"E\#($0)"}}"# }.joined(separator: ",")
        let logs = (0..<8_000).map { _ in #"{"log":"1"}"# }.joined(separator: ",")
        for entry in [sends, logs] {
            let text =
                #"{"initial":"a","states":{"a":{"on":{\#(on)}},"#
                + #""b":{"entry":[\#(entry)],"on":{\#(on)}}}}"#
            #expect(try circles(text) == [])
        }
    }

    @Test func `many events that are raised are read as often as there are different ones`()
        throws
    {
        let logs = Array(repeating: #"{"log":"1"}"#, count: 3_000).joined(separator: ",")
        let type = Array(repeating: "a", count: 120).joined(separator: ".")
        let raises = (0..<3_000).map {
            #""E\#($0)":{"actions":[{"raise":"x"},{"raise":"\#(type)"}]}"#
        }
        let started = ContinuousClock.now
        let found = try circles(
            #"""
            {"initial":"a","states":{"a":{"on":{"x":{"actions":[\#(logs)]},"z.*":{},
             \#(raises.joined(separator: ","))}}}}
            """#)
        #expect(found == [])
        // Some milliseconds, and minutes where each event is looked at by itself.
        #expect(ContinuousClock.now - started < .seconds(20))
    }

    @Test func `where it isn't known which state is left, its exit may change everything`() throws {
        func chart(_ exit: String) -> String {
            #"""
            {"initial":"p","states":{"p":{"initial":"a",
              "on":{"GO":{"target":"p","send":{"event":"GO"}},"STOP":"z"},
              "states":{"a":{"exit":\#(exit)}}},"z":{}}}
            """#
        }
        #expect(try circles(chart("[]")) == [["'GO'", "'GO'"]])
        #expect(try circles(chart(#"{"send":{"event":"STOP"}}"#)) == [])
    }

    @Test func `regions, guards, transitions without an event and other recipients are left out`()
        throws
    {
        let sending = #""E":{"send":{"event":"E"}}"#
        for states in [
            #""p":{"type":"parallel","states":{"x":{"on":{\#(sending)}},"y":{}}}"#,
            #""p":{"on":{"E":{"guard":"now > timestamp('2020-01-01T00:00:00Z')","#
                + #""send":{"event":"E"}}}}"#,
            #""p":{"always":{"guard":"1 > 2","target":"q"},"on":{\#(sending)}},"q":{}"#,
            #""p":{"on":{"E":{"send":{"event":"E","to":"parent"}}}}"#,
            #""p":{"on":{"E":{"send":{"event":"E","to":"internal"}}}}"#,
        ] {
            #expect(try circles(#"{"initial":"p","states":{\#(states)}}"#) == [], "\(states)")
        }
    }
}
