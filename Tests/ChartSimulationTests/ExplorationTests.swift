import CEL
import OrderedJSON
import Statecharts
import Testing

@testable import ChartSimulation

/// What an exploration finds, and that its sequences lead there.
struct ExplorationTests {
    private func explore(
        _ text: String, machines: [String: String] = [:],
        _ set: (inout Exploration.Options, Chart) throws -> Void = { _, _ in }
    ) throws -> Exploration.Report {
        let chart = try Chart(parsing: Array(text.utf8))
        var options = Exploration.Options()
        try set(&options, chart)
        return Exploration.explore(
            chart, machines: try machines.mapValues { try Chart(parsing: Array($0.utf8)) },
            options)
    }

    @Test func `a sound machine is explored completely, and nothing is found`() throws {
        let report = try explore(
            #"""
            {"id":"m","initial":"a","states":{"a":{"on":{"GO":"b"},"after":{"1h":"c"}},
             "b":{"on":{"BACK":"a","END":"c"}},"c":{"type":"final"}}}
            """#)
        #expect(report.isComplete)
        #expect(report.findings.isEmpty)
        #expect(report.unreached.isEmpty)
        #expect(report.untaken.isEmpty)
        #expect(report.states == 3)
        #expect(report.depth == 1)
    }

    @Test func `what depends on the time or the version isn't explored, and is named`() throws {
        func untried(_ transition: String) throws -> [String] {
            try explore(
                #"{"id":"m","initial":"a","context":{"n":0},"states":{"a":{"on":{"F":{"#
                    + transition + #"}}},"b":{"type":"final"}}}"#
            ).untried
        }
        #expect(try untried(#""guard":"self.v >= 3","target":"b""#) == ["self.v"])
        #expect(
            try untried(#""guard":"now > timestamp(5) && rand < 0.5","target":"b""#)
                == ["now", "rand"])
        #expect(try untried(#""target":"b","log":"now","emit":{"type":"E","v":"self.v"}"#) == [])
        #expect(try untried(#""guard":"self.id == 'x' && context.n > 0","target":"b""#) == [])
    }

    @Test func `a dead end is found by the shortest way`() throws {
        let report = try explore(
            #"""
            {"id":"m","initial":"a","events":{"PAY":{"properties":{"n":{"type":"integer",
              "minimum":1,"maximum":9}},"required":["n"]},"GO":{}},
             "context":{"n":0},
             "states":{"a":{"on":{"PAY":{"guard":"event.n > 8","target":"b"},"GO":"c"}},
              "b":{"always":{"guard":"context.n > 0","target":"c"}},"c":{"type":"final"}}}
            """#)
        let finding = try #require(report.findings.first)
        #expect(finding.kind == .deadEnd)
        #expect(finding.text == "b")
        #expect(finding.commands == [".start", #"PAY {"n":9}"#])
    }

    @Test func `a condition that isn't kept is found, and its sequence breaks it`() throws {
        let text = #"""
            {"id":"m","initial":"a","context":{"n":0},
             "states":{"a":{"on":{"ADD":{"assign":{"n":"context.n + 2"}},
              "TAKE":{"guard":"context.n > 0","assign":{"n":"context.n - 3"}}}}}}
            """#
        let report = try explore(text) { options, chart in
            options.invariants = [try ChartCondition("context.n >= 0", on: chart)]
            options.statesMax = 100
        }
        #expect(!report.isComplete)
        let finding = try #require(report.findings.first { $0.kind == .invariant })
        #expect(finding.commands == [".start", "ADD", "TAKE"])
        let chart = try Chart(parsing: Array(text.utf8))
        var simulation = Simulation(chart)
        for command in finding.commands { #expect(simulation.perform(command).fault == nil) }
        #expect(simulation.state?["context"]?["n"]?.integer == -1)
    }

    @Test func `a condition is checked after each step that a command causes`() throws {
        let report = try explore(
            #"""
            {"id":"m","initial":"a","context":{"n":0},"states":{"a":{"on":{
              "GO":{"assign":{"n":"1"},"actions":[{"send":{"event":"BACK"}}]},
              "BACK":{"assign":{"n":"0"}}}}}}
            """#
        ) { options, chart in
            options.invariants = [try ChartCondition("context.n == 0", on: chart)]
        }
        let finding = try #require(report.findings.first { $0.kind == .invariant })
        #expect(finding.commands == [".start", "GO"])
    }

    @Test func `a step that fails is found, once, with the event that fits the schema`() throws {
        let report = try explore(
            #"""
            {"id":"m","initial":"a","events":{"SET":{"properties":{"x":{"type":"string"},
              "n":{"type":"integer"}},"required":["n"]}},"context":{"v":""},
             "states":{"a":{"on":{"SET":{"assign":{"v":"event.x"}}}}}}
            """#)
        #expect(report.findings.map(\.kind) == [.failure])
        #expect(report.findings.first?.commands == [".start", #"SET {"n":0}"#])
    }

    @Test func `requests are answered and fail, and a missing answer is named`() throws {
        let text = #"""
            {"id":"m","initial":"a","context":{"t":""},"states":{
              "a":{"invoke":{"id":"ask","src":"http","url":"https://a.example","onDone":
                {"target":"b","assign":{"t":"event.output.body.track"}},"onError":"c"}},
              "b":{"type":"final"},"c":{"on":{"RETRY":"a"}}}}
            """#
        let report = try explore(text)
        #expect(report.unanswered == ["ask"])
        #expect(report.unreached == ["b"])
        #expect(report.isComplete)
        #expect(report.findings.isEmpty)
        let answered = try explore(text) { options, _ in
            options.answers["ask"] = [["body": ["track": "T"]]]
        }
        #expect(answered.unanswered.isEmpty)
        #expect(answered.unreached.isEmpty)
        // The number of the request isn't a part of what is compared.
        #expect(answered.states == 3)
    }

    @Test func `states and events that never occur are named`() throws {
        let report = try explore(
            #"""
            {"id":"m","initial":"a","context":{"n":0},"events":{"GO":{},"X":{}},
             "states":{"a":{"on":{"GO":"c","X":{"guard":"context.n > 3","target":"b"}}},
             "b":{"on":{"GO":"c"}},"c":{"type":"final"}}}
            """#)
        #expect(report.unreached == ["b"])
        #expect(report.untaken == ["X"])
    }

    @Test func `an endless machine is found, also at its start`() throws {
        let loop = #"""
            {"id":"m","initial":"a","states":{"a":{"on":{"E":{"send":{"event":"E"}}}}}}
            """#
        #expect(try explore(loop).findings.first?.kind == .endless)
        let start = #"""
            {"id":"m","initial":"a","states":{"a":{"always":{"guard":"1 / 0 > 0","target":"a"}}}}
            """#
        let report = try explore(start)
        #expect(report.findings.first?.kind == .failure)
        #expect(report.findings.first?.commands == [".start"])
    }

    @Test func `waits find what comes between two timers`() throws {
        let text = #"""
            {"id":"m","initial":"a","states":{"a":{"after":{"1h":"c"},"on":{"E":{"guard":
              "now > timestamp('2026-01-01T00:10:00Z') && now < timestamp('2026-01-01T00:20:00Z')",
              "target":"b"}}},"b":{},"c":{"type":"final"}}}
            """#
        #expect(try explore(text).findings.isEmpty)
        let report = try explore(text) { options, _ in
            options.waits = [15 * 60_000]
        }
        #expect(report.findings.first?.commands == [".start", ".wait 15m", "E"])
    }

    @Test func `bounds of states and of sequences are kept`() throws {
        let text = #"""
            {"id":"m","initial":"a","context":{"n":0},
             "states":{"a":{"on":{"ADD":{"assign":{"n":"context.n + 1"}}}}}}
            """#
        let report = try explore(text) { options, _ in options.statesMax = 50 }
        #expect(report.states == 50)
        #expect(!report.isComplete)
        let flat = try explore(text) { options, _ in options.depthMax = 3 }
        #expect(flat.states == 4)
        #expect(flat.depth == 3)
        #expect(!flat.isComplete)
    }

    @Test func `an exploration that is ended has what was found until then`() throws {
        let text = #"""
            {"id":"m","initial":"a","context":{"n":0},
             "states":{"a":{"on":{"ADD":{"assign":{"n":"context.n + 1"}}}}}}
            """#
        let chart = try Chart(parsing: Array(text.utf8))
        var options = Exploration.Options()
        options.statesMax = .max
        var left = 20
        let report = Exploration.explore(
            chart, options,
            isOver: {
                left -= 1
                return left < 0
            })
        #expect(report.isEnded)
        #expect(!report.isComplete)
        #expect(report.states == 21)
        let none = Exploration.explore(chart, options, isOver: { true })
        #expect(none.isEnded)
        #expect(none.states == 1)
        options.statesMax = 5
        let small = Exploration.explore(chart, options, isOver: { false })
        #expect(!small.isEnded)
    }
}
