import CEL
import Testing

@testable import Statecharts

/// Conditions on the states of a chart.
struct ChartConditionTests {
    private let trial = try? Trial(
        #"""
        {"id":"m","initial":"a","context":{"n":3},"states":{"a":{"initial":"b","states":{"b":{}}},
         "c":{}}}
        """#)

    private func holds(_ text: String) throws -> Bool {
        let run = try #require(trial?.run)
        return try run.holds(ChartCondition(text, on: #require(run.chart)))
    }

    @Test(arguments: [
        ("context.n == 3", true), ("context.n > 3", false), ("in('b') && !in('c')", true),
        ("in('a.b')", true), ("self.machine == 'm' && self.id == 'main'", true),
        ("now > timestamp('2020-01-01T00:00:00Z')", true), ("event == null", true),
    ])
    func `it sees what guards see`(text: String, value: Bool) throws {
        #expect(try holds(text) == value)
    }

    @Test(arguments: ["context.m > 1", "1 + 1", "context.n >", "unknown"])
    func `what isn't a condition is refused at once`(text: String) throws {
        let chart = try #require(trial?.run.chart)
        #expect(throws: CELErrors.self) { try ChartCondition(text, on: chart) }
    }

    @Test func `one without a truth value is a failure`() {
        #expect(throws: ChartFailure.self) { try holds("1 / (context.n - 3) > 0") }
        #expect(throws: ChartFailure.self) { try holds("context.n") }
    }

    @Test func `states that the chart doesn't have are named`() throws {
        let chart = try #require(trial?.run.chart)
        #expect(try ChartCondition("in('b') || in('x')", on: chart).unknownStates == ["x"])
    }

    @Test func `expressions have the members of the context, and no others`() throws {
        let environment = CELEnvironment(context: CELEnvironment.contextType(["n"]), event: .dyn)
        #expect(try environment.compile("context.n + 1", expecting: .dyn).type == .dyn)
        #expect(throws: CELErrors.self) { try environment.compile("context.m") }
    }
}
