import OrderedJSON
import Testing

@testable import Statecharts

/// What a beginner writes, and whether the message says where and what to write instead.
struct MistakeAdviceTests {
    /// A machine in whose text one place is replaced.
    private static let machine = """
        { "id": "m", "initial": "a",
          "context": { "n": 0 },
          "states": {
            "a": { "on": { "GO": "b" } },
            "b": { "on": { "BACK": "a" } } } }
        """

    private func found(_ part: String, _ wrong: String) throws -> ChartProblem {
        try #require(Self.machine.contains(part))
        let text = Self.machine.replacing(part, with: wrong)
        return try #require(problems(text).first, "\(wrong)")
    }

    @Test(arguments: [
        (#""states""#, #""state""#, "has 'states'"),
        (#""on": { "GO""#, #""transitions": { "GO""#, "did you mean 'on'?"),
        (#""on": { "GO""#, #""zebra": { "GO""#, "write one of after, always, defer"),
        (#""GO": "b""#, #""GO": { "target": "b", "cond": "true" }"#, "did you mean 'guard'?"),
        (#""GO": "b""#, #""GO": "bb""#, "did you mean 'b'?"),
        (#""initial": "a","#, "", #""initial":"a""#),
        (#""initial": "a""#, #""initial": "start""#, "; it has 'a', 'b'"),
        (#""GO": "b""#, #""GO": "B""#, "did you mean 'b'?"),
        (#""GO": "b""#, #""GO": { "emit": { "name": "x" } }"#, "an output is its type"),
        (#""GO": "b""#, #""GO": { "send": "PING" }"#, #"such as {"event":"PING""#),
        (#""GO": "b""#, #""GO": { "actions": [ { "type": "log", "value": "1" } ] }"#, "'type'"),
        (#""on": { "GO": "b" }"#, #""after": { "30 seconds": "b" }"#, #"write "30s""#),
        (#""on": { "GO": "b" }"#, #""after": { "30min": "b" }"#, #"write "30s""#),
        (#""on": { "GO": "b" }"#, #""after": { "context.m": "b" }"#, "declare it in context"),
        (
            #""on": { "GO": "b" }"#, #""invoke": { "src": "h" }, "onDone": "b""#,
            "stands within 'invoke'"
        ),
        (
            #""on": { "GO": "b" }"#, #""invoke": { "src": "https://a.example" }, "on": {"GO":"b"}"#,
            #"write "src":"http""#
        ),
        (#""initial": "a""#, #""initial": "a", "version": 2"#, #"such as "1.0.0""#),
        (
            #""initial": "a""#, #""initial": "a", "migrates": { "states": { "x": "bee" } }"#,
            "has no state 'bee'"
        ),
        (
            #""initial": "a""#, #""initial": "a", "migrates": { "context": { "m": "1" } }"#,
            "no member 'm': declare it"
        ),
    ])
    func `a wrong word says what to write`(part: String, wrong: String, message: String) throws {
        let problem = try found(part, wrong)
        #expect(problem.message.contains(message), "\(problem)")
    }

    @Test(arguments: [
        ("n > 0", "write 'context.n'"), ("ready", "no guard of this name in 'guards'"),
        ("context.m > 0", "no member 'm': declare it in context"),
        ("context.n = 1", "'==' compares"), ("context.n > 0 and true", "write '&&'"),
        ("context.n > ", "ends too early"), ("", "is empty"),
    ])
    func `a wrong guard says what to write`(condition: String, message: String) throws {
        let wrong = #""GO": { "target": "b", "guard": "\#(condition)" }"#
        let problem = try found(#""GO": "b""#, wrong)
        #expect(problem.path == "$.states.a.on.GO.guard")
        #expect(problem.message.contains(message), "\(problem)")
        #expect(problem.line == 4 && problem.expression != nil)
    }

    @Test(arguments: [
        ("paid", "write \"'paid'\" for this text"), ("n", "write 'context.n'"),
        ("hello world", "write \"'hello world'\" for this text"),
        ("if (context.n > 1) 2 else 3", "write 'condition ? this : that'"),
    ])
    func `a wrong value says what to write`(value: String, message: String) throws {
        let problem = try found(#""GO": "b""#, #""GO": { "assign": { "n": "\#(value)" } }"#)
        #expect(problem.message.contains(message), "\(problem)")
    }

    @Test(arguments: [
        (#""BACK": "a" }"#, #""BACK": "a", }"#, "remove the comma before it", 5, 33),
        (#""context""#, "// the values\n  \"context\"", "JSON has no comments", 2, 3),
        (#""context""#, "'context'", "write double quotes", 2, 3),
        (#""b": {"#, #""a": {"#, "already has a member", 5, 5),
    ])
    func `a text that is no JSON has its place`(
        part: String, wrong: String, message: String, line: Int, column: Int
    ) throws {
        let problem = try found(part, wrong)
        #expect(problem.message.contains(message), "\(problem)")
        #expect(problem.line == line && problem.column == column, "\(problem.description(in: "f"))")
        #expect(problem.description(in: "f").hasPrefix("f:\(line):\(column): error: $: "))
    }

    @Test func `an empty text is said to be empty`() {
        #expect(problems(" \n").first?.message == "this is no JSON: it is empty")
    }

    @Test func `states that lead round without an event are found`() {
        func circles(_ states: String) -> [String] {
            problems(#"{"initial":"a","context":{"n":0},"states":{\#(states)}}"#)
                .map(\.message).filter { $0.contains("round for ever") }
        }
        #expect(
            circles(#""a":{"always":"b"},"b":{"always":"c"},"c":{"always":"b"}"#) == [
                "this goes round for ever, from 'b' to 'c' to 'b': give a transition a guard or an "
                    + "event"
            ])
        #expect(circles(#""a":{"always":"a"}"#).count == 1)
        #expect(
            circles(
                #""a":{"always":"p"},"p":{"initial":"q","always":"a","states":{"q":{}}}"#
            ).count == 1)
        // A guard, an event, another first transition or a region may end it.
        for states in [
            #""a":{"always":{"guard":"context.n < 3","target":"b"}},"b":{"always":"a"}"#,
            #""a":{"on":{"E":"b"}},"b":{"always":"a"}"#,
            #""a":{"always":[{"guard":"context.n > 3","target":"c"},"b"]},"c":{},"#
                + #""b":{"always":"a"}"#,
            #""a":{"type":"parallel","states":{"r":{"initial":"x","states":{"x":{"always":"y"},"#
                + #""y":{"always":"x"}}}}}"#,
        ] { #expect(circles(states) == [], "\(states)") }
    }

    // MARK: Places

    @Test func `a path has the place of its last part`() {
        let text = """
            { "a": { "b c": [ 1,
              { "d": "x, ]" } ] },
              "\u{E4}\\"": {}, "e": null }
            """
        let rows: [(path: String, line: Int, column: Int)] = [
            ("$", 1, 1), ("$.a", 1, 3), (#"$.a["b c"]"#, 1, 10), (#"$.a["b c"][0]"#, 1, 19),
            (#"$.a["b c"][1].d"#, 2, 5), (#"$["\#u{E4}\""]"#, 3, 3), ("$.e", 3, 14),
            // What isn't there has the place of what is around it.
            ("$.a.zebra.x", 1, 3), ("$.none", 1, 1),
        ]
        let places = DefinitionPlaces.find(rows.map(\.path), in: Array(text.utf8))
        for (row, place) in zip(rows, places) {
            #expect(place.line == row.line && place.column == row.column, "\(row) \(place)")
        }
    }

    @Test func `the problems of a value have no place`() throws {
        let chart = try Chart(["initial": "a", "states": ["a": [:], "b": [:]]])
        #expect(chart.warnings.count == 2 && chart.warnings.allSatisfy { $0.line == nil })
        #expect(chart.warnings[0].description(in: "f").hasPrefix("f: warning: $.states.a: "))
    }
}
