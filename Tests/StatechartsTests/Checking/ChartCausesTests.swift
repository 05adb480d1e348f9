import OrderedJSON
import Testing

@testable import Statecharts

/// What transitions cause for their own machine at once.
@Suite struct ChartCausesTests {
    /// What the transition of `GO` causes, which leads from `a` to `c` within `b`.
    private func causes(
        _ actions: String, exit: String = "[]", outer: String = "", inner: String = ""
    ) throws -> ChartCauses.Causes? {
        let text = #"""
            {"initial":"a","context":{"n":0},"states":{
             "a":{"exit":\#(exit),"on":{"GO":{"target":"b","actions":\#(actions)}}},
             "b":{"initial":"c","on":{"GO":"a"},
              "states":{"c":{"defer":["D.*"]\#(inner)}}\#(outer)}}}
            """#
        let (draft, problems) = ChartReader.read(try JSONValue(parsing: Array(text.utf8)))
        #expect(!problems.contains { $0.severity == .error }, "\(problems)")
        let number = try #require(draft.transitions.firstIndex { !$0.actions.isEmpty })
        let state = try #require(draft.identifiers["c"])
        var causes = ChartCauses(draft)
        let isDeferred = ["D.x", "E"].map {
            causes.isDeferred(draft.descriptors.match($0), in: state)
        }
        #expect(isDeferred == [true, false])
        return causes.of(Int32(number), from: nil, to: state)
    }

    @Test func `events come in the order of exits, actions and entries`() throws {
        func send(_ event: String) -> String { #"{"send":{"event":"\#(event)"}}"# }
        let found = try causes(
            "[\(send("2")),{\"raise\":\"R\"}]", exit: send("1"),
            outer: #","entry":\#(send("3")),"after":{"0s":"a","1s":"a"}"#,
            inner: #","entry":\#(send("4"))"#)
        #expect(found?.sent == ["1", "2", "3", "4"])
        #expect(found?.raised == ["R"])
        #expect(found?.timers.count == 1)
    }

    @Test func `what depends on values isn't known, and neither is too much`() throws {
        let send = #"{"send":{"event":"E"}}"#
        #expect(try causes(#"[{"cancel":"i"}]"#) == nil)
        let choice = #"{"choose":[{"guard":"context.n > 0","actions":[\#(send)]}]}"#
        #expect(try causes("[\(choice)]") == nil)
        func sends(_ count: Int) -> String {
            "[" + Array(repeating: send, count: count).joined(separator: ",") + "]"
        }
        #expect(try causes(sends(ChartLimits.causesMax))?.count == ChartLimits.causesMax)
        #expect(try causes(sends(ChartLimits.causesMax + 1)) == nil)
    }
}
