import OrderedJSON
import Testing
import Transducers

@testable import Statecharts

/// Instances whose definitions a chart has computed.
@Suite struct ComputedChartTests {
    /// A machine that starts a definition of its context.
    private func parent(_ inner: String) -> String {
        """
        {"id":"par","version":"1","initial":"a","context":{"def":\(inner)},"states":{"a":{"invoke":
        {"id":"k","src":{"machine":{"expr":"context.def"}},"onDone":"b","onError":"e"}},"b":{},
        "e":{},"w":{"after":{"1s":"b","2s":"b"}}}}
        """
    }

    private let waiting = """
        {"initial":"w","states":{"w":{"after":{"300ms":"f"}},"f":{"type":"final"}}}
        """

    @Test func `timers of a computed definition are its own`() throws {
        let server = try ChartServer(parent(waiting))
        try server.ask(#"{"op":"create","to":"par/1"}"#)
        let list = try server.ask(#"{"op":"list","machine":"par.computed","state":"w"}"#)
        let kid = try #require(list["items"]?.array?.first?["to"]?.string)
        #expect(try server.active(kid) == ["w"])
        try server.advance(299)
        #expect(try server.active("par/1") == ["a"])
        try server.advance(1)
        #expect(try server.active("par/1") == ["b"])
        #expect(try server.get(kid)["done"] == true)
    }

    @Test func `they fire after a restart, too`() throws {
        let server = try ChartServer(parent(waiting))
        try server.ask(#"{"op":"create","to":"par/1"}"#)
        try server.advance(100)
        try server.restart()
        #expect(try server.effects("par/1") == ["invoke/k/1 child"])
        try server.advance(200)
        #expect(try server.active("par/1") == ["b"])
    }

    @Test(arguments: [
        #"{"op":"create","to":"par.computed/x","input":{"definition":{"initial":"q","#
            + #""states":{"q":{}}}}}"#,
        #"{"op":"create","to":"par.computed/x"}"#,
        #"{"op":"send","to":"par.computed/x","event":"E"}"#,
        #"{"op":"can","to":"par.computed/x","event":"E"}"#,
        #"{"op":"import","to":"par.computed/x","v":0,"state":{"value":"q","context":{},"#
            + #""definition":{"initial":"q","states":{"q":{}}}}}"#,
    ])
    func `nobody else starts one`(request: String) throws {
        let server = try ChartServer(parent(waiting))
        #expect(try server.code(request) == "BAD_REQUEST")
        let items = #"{"op":"batch","items":[{"to":"par.computed/x","event":"E"}]}"#
        #expect(
            try server.ask(items)["results"]?.array?.first?["error"]?["code"] == "BAD_REQUEST")
        #expect(try server.code(#"{"op":"get","to":"par.computed/x"}"#) == "NO_SUCH_INSTANCE")
    }

    @Test func `another machine can't start one, nor a client by retrying`() throws {
        let definition = #"{"initial":"q","states":{"q":{}}}"#
        let server = try ChartServer(
            parent("{}"),
            """
            {"id":"other","version":"1","initial":"a","states":{"a":{"invoke":{"id":"k",
            "src":"machine:par.computed","input":{"definition":{"initial":"'q'"}},"onError":"e"}},
            "e":{}}}
            """,
            """
            {"id":"bare","version":"1","initial":"a","states":{"a":{"invoke":{"id":"k",
            "src":{"machine":{"expr":"1"}}}}}}
            """)
        try server.ask(#"{"op":"create","to":"other/1"}"#)
        #expect(try server.active("other/1") == ["e"])
        // One that can't be read is the failure of the invocation.
        try server.ask(#"{"op":"create","to":"par/1"}"#)
        #expect(try server.active("par/1") == ["e"])
        try server.ask(#"{"op":"create","to":"bare/1"}"#)
        #expect(try server.effects("bare/1") == ["invoke/k/1 failed"])
        let retry =
            #"{"op":"retry","to":"bare/1","effect":1,"event":{"type":"x","definition":"#
            + definition + "}}"
        #expect(try server.code(retry) == "NO_SUCH_EFFECT")
    }

    @Test func `it has smaller bounds than other definitions`() throws {
        func refusal(_ states: Int, padding: Int = 0) throws -> String {
            let names = (0..<states).map { #""s\#($0)":{}"# }.joined(separator: ",")
            let text = String(repeating: "x", count: padding)
            let json = try JSONValue(
                parsing: Array(
                    #"{"description":"\#(text)","initial":"s0","states":{\#(names)}}"#.utf8))
            do throws(ChartProblems) {
                _ = try Chart.computed(json)
                return "none"
            } catch {
                return error.errors.first?.message ?? ""
            }
        }
        #expect(try refusal(ChartLimits.computedStatesMax) == "none")
        #expect(try refusal(ChartLimits.computedStatesMax + 1).contains("500 states, not 501"))
        #expect(try refusal(1, padding: ChartLimits.computedBytesMax).contains("65536 bytes"))
    }

    @Test func `its failures and results are its own chart's`() throws {
        let json = try JSONValue(parsing: Array(parent(waiting).utf8))
        let machine = try #require(
            try ChartDefinitions(Chart(json), json: json).all.last?.machine
                as? ComputedChartMachine)
        let inner =
            #"{"initial":"x","states":{"x":{"invoke":{"id":"h","src":"http","url":"u","#
            + #""onError":"x"}}}}"#
        let state = Array(#"{"value":"x","context":{},"definition":\#(inner)}"#.utf8)
        let (known, other) = (HostedKey(id: "invoke/h/1"), HostedKey(id: "invoke/k/1"))
        for (key, isTaken) in [(known, true), (other, false)] {
            #expect((machine.event(ofFailure: "no", key: key, state: state) != nil) == isTaken)
            #expect((machine.event(ofRefusal: "no", key: key, state: state) != nil) == isTaken)
            #expect(machine.event(ofFailure: "no", key: key, state: []) == nil)
        }
        #expect(machine.activeNames(ofState: state) == ["x"])
        #expect(machine.activeNames(ofState: []).isEmpty)
        #expect(try machine.event(ofResult: 1, key: known, then: nil) != nil)
    }
}

/// The compiled definitions that are kept.
@Suite struct ComputedChartsTests {
    private func definition(_ number: Int) throws -> (JSONValue, [UInt8]) {
        let text = Array(#"{"initial":"s\#(number)","states":{"s\#(number)":{}}}"#.utf8)
        return (try JSONValue(parsing: text), text)
    }

    @Test func `a text is read once, and the oldest ones are forgotten`() throws {
        let charts = ComputedCharts()
        let (json, text) = try definition(0)
        let first = try charts.chart(json, text: text)
        #expect(try charts.chart(json, text: text) === first)
        for number in 1...ChartLimits.computedKeptMax {
            let (json, text) = try definition(number)
            _ = try charts.chart(json, text: text)
        }
        #expect(charts.count == ChartLimits.computedKeptMax)
        #expect(try charts.chart(json, text: text) !== first)
    }

    @Test func `what has problems is read again`() throws {
        let charts = ComputedCharts()
        for _ in 0..<2 {
            #expect(throws: ChartProblems.self) { try charts.chart("x", text: []) }
        }
        #expect(charts.count == 0)
    }
}
