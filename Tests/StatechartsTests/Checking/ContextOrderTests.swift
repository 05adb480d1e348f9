import OrderedJSON
import Testing

@testable import Statecharts

/// Initial values that use members of the context which aren't there yet.
@Suite struct ContextOrderTests {
    private func warnings(_ context: String, errors: String = "fail") -> [String] {
        problems(
            #"""
            {"initial":"a","errors":"\#(errors)","context":{\#(context)},
             "states":{"a":{"on":{"E":{}}}}}
            """#
        ).map { "\($0.severity) \($0.path) \($0.message)" }
    }

    private func late(_ member: String, _ reason: String) -> String {
        "warning \(member) 'context.b' isn't there yet: members are filled in their order, and "
            + reason
    }

    @Test func `a member that comes later is never found, and the chart can't start`() throws {
        let context = #""a":{"expr":"context.b + 1"},"b":1"#
        #expect(warnings(context) == [late("$.context.a", "'b' comes later")])
        #expect(
            warnings(context, errors: "scxml") == [late("$.context.a", "'b' comes later")])
        #expect(warnings(#""b":1,"a":{"expr":"context.b + 1"}"#) == [])
        #expect(
            warnings(#""b":{"expr":"context.b + 1"}"#)
                == [late("$.context.b", "this is its own value")])
    }

    @Test(arguments: [
        "1 + context.b", "context . b", "context['b'] + 1", "has(context.b.c) ? 1 : 2",
        "[1].map(x, x + context.b)[0]", "context.b.map(x, x)[0]", "context.b == context.b",
        "context.`b`", "'context' == string(context.b)",
    ])
    func `a selection is found`(expression: String) {
        let context = #""a":{"expr":"\#(expression)"},"b":null"#
        #expect(warnings(context) == [late("$.context.a", "'b' comes later")])
    }

    @Test(arguments: [
        "'context.b'", "r'\\\\' + 'context.b'", "1 // context.b", "has(context.b) ? context.b : 0",
        "context.?b.orValue(0)", "context[?'b'].orValue(0)", "'b' in context ? context['b'] : 1",
        "{'context': {'b': 1}}.context.b", "[{'b': 1}].map(context, context.b)[0]",
    ])
    func `what doesn't need the member isn't reported`(expression: String) {
        #expect(warnings(#""a":{"expr":"\#(expression)"},"b":null"#) == [], "\(expression)")
    }

    @Test func `many members with long texts are read at once`() throws {
        let count = 20_000
        let members = (0..<count).map { #""m\#($0)":{"expr":"context.m\#($0 + 1)"}"# }
        let sum = (0..<count).map { "context.m\($0)" }.joined(separator: ",")
        let text =
            #"{"initial":"a","context":{\#(members.joined(separator: ",")),"#
            + #""m\#(count)":{"expr":"[\#(sum)]"}},"states":{"a":{}}}"#
        // As one that was accepted, so that the expressions aren't compiled.
        let (draft, _) = ChartReader.read(
            try JSONValue(parsing: Array(text.utf8)), wasAccepted: true)
        #expect(draft.context.count == count + 1)
        #expect(ContextOrder.faults(in: draft.context).count == count)
    }
}
