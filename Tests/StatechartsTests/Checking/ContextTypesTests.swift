import Testing

@testable import Statecharts

/// Warnings about expressions that don't fit the initial values of the context:
/// ``ContextTypes``.
struct ContextTypesTests {
    /// A chart with an expression in a guard, and further transitions.
    private func found(
        _ context: String, _ guarded: String, _ more: String = ""
    ) -> [ChartProblem] {
        problems(
            """
            {"initial":"a","context":\(context),"states":{"a":{"on":{
            "E":{"guard":"\(guarded)"}\(more)}}}}
            """)
    }

    @Test(arguments: [
        (#"{"n":0}"#, "context.n == 'x'"),
        (#"{"n":0}"#, "context.n.startsWith('x')"),
        (#"{"name":"bob"}"#, "context.name > 3"),
        (#"{"on":true}"#, "context.on + 1 > 1"),
        (#"{"list":[1]}"#, "context.list > 1"),
        (#"{"map":{"a":1}}"#, "context.map == 1"),
        (#"{"name":"bob","both":{"expr":"'x' + 'y'"}}"#, "context.both == 1"),
    ])
    func `an expression that doesn't fit an initial value is a warning`(
        context: String, guarded: String
    ) throws {
        let found = found(context, guarded)
        let problem = try #require(found.first)
        #expect(found.count == 1)
        #expect(problem.severity == .warning)
        #expect(problem.path == "$.states.a.on.E.guard")
        #expect(problem.message.contains("(line 1, column "))
        #expect(problem.message.contains("if the context has the types of its initial values"))
        #expect(problem.expression != nil)
    }

    @Test(arguments: [
        // What fits; numbers of both kinds; elements and members of unknown types; null.
        (#"{"n":0}"#, "context.n + 1.5 > 2.0", ""),
        (#"{"list":[1]}"#, "context.list[0] == 'x'", ""),
        (#"{"map":{"a":1}}"#, "context.map.b.startsWith('x')", ""),
        (#"{"n":null}"#, "context.n == 'x'", ""),
        // Another type is assigned, by an action, a loop, an id.
        (#"{"n":0}"#, "context.n == 'x'", #","F":{"assign":{"n":"'x'"}}"#),
        (#"{"n":0}"#, "context.n == 'x'", #","F":{"assign":{"n":["1"]}}"#),
        (
            #"{"n":0}"#, "context.n == 'x'",
            #","F":{"foreach":{"in":["'x'"],"item":"n","actions":[]}}"#
        ),
        (
            #"{"n":0}"#, "context.n == 'x'",
            #","F":{"send":{"event":"E","id":{"assign":"n"}}}"#
        ),
    ])
    func `what may fit has no warning`(context: String, guarded: String, more: String) {
        #expect(found(context, guarded, more).map(\.description) == [])
    }

    @Test func `a value of an unknown type leaves the initial one`() {
        let assigned = #","F":{"assign":{"n":"context.n + event.by","m.x":"'x'"}}"#
        #expect(found(#"{"n":0,"m":{}}"#, "context.n == 'x'", assigned).count == 1)
    }

    @Test func `the members of a declared event have their types, too`() {
        let found = problems(
            """
            {"initial":"a","context":{"name":"bob"},"events":{"E":{"type":"object",
            "additionalProperties":false,"properties":{"n":{"type":"integer"}}}},
            "states":{"a":{"on":{"E":{"guard":"context.name == event.n"}}}}}
            """)
        #expect(found.map(\.path) == ["$.states.a.on.E.guard"])
    }

    @Test func `a migration sees another context`() {
        let found = problems(
            """
            {"initial":"a","context":{"n":0},"migrates":{"context":{"n":"size(context.n)"}},
            "states":{"a":{"on":{"E":{"assign":{"n":"1"}}}}}}
            """)
        #expect(found.map(\.description) == [])
    }
}
