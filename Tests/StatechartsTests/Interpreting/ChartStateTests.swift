import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// The state of an instance as JSON.
struct ChartStateTests {
    @Test func `the value is a name, or an object of compound and parallel states`() throws {
        let chart = #"""
            {"initial":"a","context":{"n":1},"states":{
              "a":{"on":{"E":"shipping","F":"p"}},
              "shipping":{"initial":"packing","states":{"packing":{}}},
              "p":{"type":"parallel","states":{"x":{},"y":{"initial":"z","states":{"z":{}}}}}}}
            """#
        var trial = try Trial(chart)
        #expect(trial.stored == #"{"value":"a","context":{"n":1}}"#)
        try trial.send("E")
        #expect(trial.stored == #"{"value":{"shipping":"packing"},"context":{"n":1}}"#)
        var other = try Trial(chart)
        try other.send("F")
        #expect(other.stored == #"{"value":{"p":{"x":{},"y":"z"}},"context":{"n":1}}"#)
        let state = try #require(other.run.state)
        #expect(other.run.chart?.isActive("p.y.z", in: state) == true)
        #expect(other.run.chart?.isActive("z", in: state) == true)
        #expect(other.run.chart?.isActive("a", in: state) == false)
    }

    @Test func `the tags of the active states are known`() throws {
        let trial = try Trial(
            #"""
            {"initial":"a","tags":["m"],"states":{"a":{"initial":"b","tags":["x","y"],
             "states":{"b":{"tags":["y","z"]}}},"c":{"tags":["w"]}}}
            """#)
        let state = try #require(trial.run.state)
        #expect(trial.run.chart?.tags(of: state) == ["m", "x", "y", "z"])
    }

    /// A chart in which random events use every part of the state.
    static let everything = #"""
        {"initial":"p","context":{"n":0,"x":null,"l":[]},"states":{
          "p":{"type":"parallel","on":{"e0":"out"},"states":{
            "h":{"type":"history","history":"deep","target":"q"},
            "q":{"initial":"q1","defer":"e5","states":{
              "q1":{"on":{"e1":"q2"}},
              "q2":{"initial":"r1","invoke":{"id":"i","src":"handler"},
                    "on":{"e1":"q1","e2":{"assign":{"n":"context.n + 1",
                    "l":"[context.n, 'a', 1.5]"}}},
                    "states":{"g":{"type":"history","target":"r2"},"r1":{"on":{"e3":"r2"}},
                              "r2":{"on":{"e3":"g"}}}}}},
            "s":{"initial":"s1","states":{"s1":{"on":{"e4":"s2"}},
                 "s2":{"on":{"e4":{"target":"s1","send":{"event":"e2","delay":"1s",
                       "id":{"assign":"x"}}}}}}}}},
          "out":{"on":{"e0":"#h","e5":"p","e6":"end"}},
          "end":{"type":"final"}}}
        """#

    @Test(arguments: 0..<40)
    func `what is written is read, and continues in the same way`(seed: Int) throws {
        var trial = try Trial(Self.everything)
        let chart = try #require(trial.run.chart)
        var number = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<60 {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let event = ChartEvent("e\((number >> 33) % 7)")
            let state = try #require(trial.run.state)
            let written = chart.json(of: state)
            let restored = try chart.restore(JSONValue(parsing: written, limits: .stored))
            #expect(chart.json(of: restored) == written)
            let environment = ChartEnvironment(
                now: trial.run.now, id: "i", machine: "m", version: 1)
            let one = try chart.step(state, event, environment)
            let other = try chart.step(restored, event, environment)
            #expect(chart.json(of: one.state) == chart.json(of: other.state))
            #expect("\(one.requests)" == "\(other.requests)")
            try trial.run.send(event)
        }
    }

    static let faults: [String] = [
        "5", #"{"context":{}}"#, #"{"value":"out"}"#, #"{"value":"nowhere","context":{}}"#,
        #"{"value":"p","context":{}}"#, #"{"value":{"p":"q"},"context":{}}"#,
        #"{"value":{"p":{"q":"q1"}},"context":{}}"#, #"{"value":{"out":{}},"context":{}}"#,
        #"{"value":5,"context":{}}"#, #"{"value":"out","context":5}"#,
        #"{"value":"out","context":{},"history":{"q":["q1"]}}"#,
        #"{"value":"out","context":{},"history":{"h":["out"]}}"#,
        #"{"value":"out","context":{},"deferred":[{}]}"#,
        #"{"value":"out","context":{},"invoked":[{"id":"i"}]}"#,
        #"{"value":"out","context":{},"history":{"h":[]}}"#,
        #"{"value":"out","context":{},"history":{"h":["q1","q2"]}}"#,
        #"{"value":"out","context":{},"history":{"h":["q","q1"]}}"#,
        #"{"value":"out","context":{},"history":{"h":["s1","s1"]}}"#,
        #"{"value":"out","context":{},"history":{"h":["q1","g"]}}"#,
        #"{"value":"out","context":{},"history":[]}"#,
        #"{"value":"out","context":{},"invoked":{}}"#,
        #"{"value":"out","context":{},"serial":-1}"#, #"{"value":"out","context":{},"finished":1}"#,
    ]

    @Test func `a history may remember one state of each region, or of some`() throws {
        let chart = try Chart(parsing: Array(Self.everything.utf8))
        for recorded in [#"["s1","r2"]"#, #"["q2"]"#, #"["q","s"]"#] {
            let text = #"{"value":"out","context":{},"history":{"h":\#(recorded)}}"#
            let state = try chart.restore(JSONValue(parsing: Array(text.utf8)))
            let start = try #require(CELTimestamp(seconds: 0))
            let environment = ChartEnvironment(now: start, id: "i", machine: "m")
            let next = try chart.step(state, ChartEvent("e0"), environment).state
            #expect(chart.activeStates(of: next).count == 2, "\(recorded)")
        }
    }

    @Test func `an id that couldn't be read again isn't made`() throws {
        let chart = try Chart(parsing: Array(Self.everything.utf8))
        let text = #"{"value":{"p":{"q":"q1","s":"s2"}},"context":{"x":null},"#
        let environment = ChartEnvironment(
            now: try #require(CELTimestamp(seconds: 0)), id: "i", machine: "m")
        let last = try chart.restore(
            JSONValue(parsing: Array((text + #""serial":9007199254740991}"#).utf8)))
        #expect(throws: ChartFailure.self) { try chart.step(last, ChartEvent("e4"), environment) }
        let other = try chart.restore(
            JSONValue(parsing: Array((text + #""serial":9007199254740990}"#).utf8)))
        let next = try chart.step(other, ChartEvent("e4"), environment).state
        #expect(next.serial == ChartLimits.serialMax)
    }

    @Test(arguments: faults)
    func `another value is no state`(text: String) throws {
        let chart = try Chart(parsing: Array(Self.everything.utf8))
        let json = try JSONValue(parsing: Array(text.utf8))
        #expect(throws: ChartFailure.self) { try chart.restore(json) }
    }

    @Test func `a stopped instance has run its exit actions`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","context":{"n":0},"states":{"a":{"exit":[{"assign":{"n":"1"}},
                  {"log":"event == null"}]}}}
                """#.utf8))
        let start = try #require(CELTimestamp(seconds: 0))
        let environment = ChartEnvironment(now: start, id: "i", machine: "m")
        let first = try chart.start(environment)
        let stopped = try chart.stop(first.state, environment)
        #expect(
            String(decoding: chart.json(of: stopped.state), as: UTF8.self)
                == #"{"value":"a","context":{"n":1},"finished":true}"#)
        #expect(stopped.requests.count == 2)
        #expect(try chart.stop(stopped.state, environment).requests.isEmpty)
        let ignored = try chart.step(stopped.state, ChartEvent("E"), environment)
        #expect(!ignored.isChanged)
    }
}
