import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// Definitions that were accepted before: most of their expressions wait for their evaluation.
@Suite("Accepted definitions")
struct AcceptedChartTests {
    private func json(_ text: String) throws -> JSONValue {
        try Chart.json(parsing: Array(text.utf8))
    }

    /// A definition with an assignment and a guard.
    private func definition(value: String, guard condition: String = "true") -> String {
        #"""
        {"initial":"a","context":{"n":1,"l":[]},
         "events":{"E":{"properties":{"by":{"type":"integer"}}}},
         "states":{"a":{"on":{"E":{"guard":"\#(condition)","target":"b",
           "assign":{"n":"\#(value)"}}}},"b":{}}}
        """#
    }

    /// The context after the event `E`, or the message of its failure.
    private func outcome(_ chart: Chart, by number: Int64 = 2) throws -> String {
        let start = try #require(CELTimestamp(seconds: 0))
        let environment = ChartEnvironment(now: start, id: "i", machine: "m")
        let state = try chart.start(environment).state
        let event = ChartEvent("E", try Trial.map(#"{"by":\#(number)}"#))
        do throws(ChartFailure) {
            let step = try chart.step(state, event, environment)
            return String(decoding: chart.json(of: step.state), as: UTF8.self)
        } catch {
            return "\(error.code.rawValue) \(error.path ?? "-"): \(error.message)"
        }
    }

    @Test(arguments: [
        "context.n + event.by", "event.by > 1 ? 'more' : 'less'", "'constant'", "1 + 2",
        "[1, 2].map(x, x * event.by)", "{'a': event.by}.a", "string(now)", "self.id",
        "meta.kind", "in('a')", "'aab'.matches('a+b')", "string(event.by).matches('[0-9]')",
        "event.unknown", "context.l[3]", "event.undeclared + 1",
    ])
    func `an accepted definition does the same as a new one`(value: String) throws {
        for condition in ["true", "event.by == 2", "context.n < 0", "in('a') && event.by > 1"] {
            let json = try json(definition(value: value, guard: condition))
            let new = try Chart(json)
            let accepted = try Chart(json, wasAccepted: true)
            for number: Int64 in [2, 2, 1] {
                #expect(try outcome(new, by: number) == outcome(accepted, by: number))
            }
            #expect(new.usesMeta == accepted.usesMeta && new.usesSelf == accepted.usesSelf)
            #expect(new.diagram == accepted.diagram && accepted.warnings.isEmpty)
        }
    }

    @Test func `an expression that can't be read any more fails when it is evaluated`() throws {
        let json = try json(definition(value: "context.n +"))
        #expect(throws: ChartProblems.self) { try Chart(json) }
        let accepted = try Chart(json, wasAccepted: true)
        let failure = try outcome(accepted)
        #expect(failure.hasPrefix("EVAL_ERROR $.states.a.on.E.assign.n: "), "\(failure)")
        // Without a variable it may be a constant, which the tables have.
        let constant = try self.json(definition(value: "1 +"))
        #expect(throws: ChartProblems.self) { try Chart(constant, wasAccepted: true) }
    }

    @Test func `types that don't fit any more fail when they are reached`() throws {
        let json = try json(definition(value: "event.by + 'a'"))
        #expect(throws: ChartProblems.self) { try Chart(json) }
        let failure = try outcome(try Chart(json, wasAccepted: true))
        #expect(failure.hasPrefix("EVAL_ERROR $.states.a.on.E.assign.n: "), "\(failure)")
    }

    @Test func `faults outside of expressions are found nevertheless`() throws {
        let json = try json(#"{"initial":"a","states":{"a":{"on":{"E":"gone"}}}}"#)
        let error = #expect(throws: ChartProblems.self) { try Chart(json, wasAccepted: true) }
        #expect(error?.errors.map(\.path) == ["$.states.a.on.E"])
    }

    @Test func `inline machines and migrations are read in the same way`() throws {
        let text = #"""
            {"id":"m","initial":"a","context":{"n":1},"migrates":{"context":{"n":"context.o + 1"}},
             "states":{"a":{"invoke":{"id":"k","src":{"machine":{"initial":"x","context":{"c":0},
               "states":{"x":{"on":{"E":{"assign":{"c":"context.c + event.by"}}}}}}}}}}}
            """#
        let accepted = try Chart(json(text), wasAccepted: true)
        let inner = try #require(accepted.inlineCharts.first)
        #expect(try outcome(inner) == #"{"value":"x","context":{"c":2}}"#)
        guard case .expression(let moved)? = accepted.migration?.context.first?.value else {
            Issue.record("the migration has no expression")
            return
        }
        #expect(moved.program?.isCompiled == false)
        let former = CELValue.map(try Trial.map(#"{"o":4}"#))
        #expect(try moved.program?.evaluate([former]) == 5)
    }
}
