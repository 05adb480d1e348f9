import OrderedJSON
import Statecharts
import Testing

/// Behavior tests as JSON.
struct ChartCaseTests {
    private func problem(_ rest: String) throws -> String? {
        let text = #"""
            {"name":"n","machine":{"initial":"a","context":{"n":0},"states":{
              "a":{"on":{"E":{"guard":"event.n > 0","target":"b"},"X":"b"},"after":{"1s":"c"}},
              "b":{},"c":{"type":"final"}}},\#(rest)}
            """#
        let test = ChartCase(try JSONValue(parsing: Array(text.utf8)))
        #expect(test.name == "n")
        return test.problem()
    }

    @Test(arguments: [
        #""initial":["a"],"steps":[{"event":"X","expect":["b"]}]"#,
        #""initial":["a"],"steps":[{"event":{"type":"E","n":1},"expect":["b"]}]"#,
        #""initial":["a"],"steps":[{"after_ms":999,"expect":["a"]},{"after_ms":1,"expect":["c"]}]"#,
        #""expect_final":"c""#, #""steps":[{"event":"X"},{"expect":["b"]}]"#,
        #""initial":["a"],"steps":[],"not_w3c":{"initial":["b"],"steps":[]}"#,
    ])
    func `a test that is met passes`(rest: String) throws {
        #expect(try problem(rest) == nil)
    }

    @Test(arguments: [
        (#""initial":["b"]"#, "after the start: a instead of b"),
        (#""initial":[]"#, "after the start: a instead of no state"),
        (#""steps":[{"event":"X","expect":["a"]}]"#, "after step 1: b instead of a"),
        (
            #""steps":[{"event":"E","expect":["b"]}]"#,
            "after step 1: a instead of b; EVAL_ERROR: there is no member 'n'"
        ),
        (#""steps":[{"event":5}]"#, "step 1 has an event that is none"),
        (#""expect_final":"b""#, "it ends in c instead of b"),
        (
            #""notes":"nothing""#,
            "nothing is expected: a case has 'initial', 'steps' or 'expect_final'"
        ),
        (
            #""initial":["a"],"step":[{"event":"X","expect":["b"]}]"#,
            "'step' is unknown here; did you mean 'steps'?"
        ),
        (
            #""steps":[{"events":"X","expect":["a"]}]"#,
            "'events' is unknown here; did you mean 'event'?"
        ),
        (
            #""initial":["a"],"not_w3c":{"initial":["a"],"steps":[]}"#,
            "this is another reading of statecharts than the W3C's"
        ),
    ])
    func `a test that isn't met says why`(rest: String, message: String) throws {
        #expect(try problem(rest) == message)
    }

    @Test func `requests and handlers fail at once`() {
        let test: JSONValue = [
            "machine": [
                "initial": "a",
                "states": [
                    "a": ["invoke": ["src": "pay", "onError": "b"]], "b": ["type": "final"],
                ],
            ], "expect_final": "b",
        ]
        #expect(ChartCase(test).problem() == nil)
    }

    @Test func `a test without a usable definition says why`() {
        #expect(ChartCase(["name": "n"]).problem() == "there is no 'machine'")
        #expect(ChartCase(["machine": 5]).problem()?.contains("a definition is an object") == true)
        let endless: JSONValue = [
            "machine": [
                "initial": "a",
                "states": ["a": ["entry": ["send": ["event": "E"]], "on": ["E": "a"]]],
            ]
        ]
        #expect(ChartCase(endless).problem() == "the run was given up: endless")
    }
}
