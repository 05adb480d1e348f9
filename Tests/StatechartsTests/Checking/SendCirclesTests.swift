import OrderedJSON
import Testing

@testable import Statecharts

/// Circles of events that a machine sends itself.
@Suite struct SendCirclesTests {
    private func circles(_ text: String) throws -> [[String]] {
        let (draft, problems) = ChartReader.read(try JSONValue(parsing: Array(text.utf8)))
        #expect(!problems.contains { $0.severity == .error }, "\(problems)")
        return SendCircles(draft).find().map(\.events)
    }

    @Test func `each circle is found once, wherever it is entered`() throws {
        let states = #"""
            "a":{"on":{"A":{"target":"b","send":{"event":"B"}},
              "IN":{"target":"c","send":{"event":"C"}}}},
            "b":{"on":{"B":{"target":"c","send":{"event":"C"}}}},
            "c":{"on":{"C":{"target":"b","send":{"event":"B"}}}}
            """#
        #expect(
            try circles(#"{"initial":"a","states":{\#(states)}}"#) == [["B", "C", "B"]])
    }

    @Test func `entries and exits on the way count, and a second send makes it unclear`() throws {
        func chart(_ exit: String) -> String {
            #"""
            {"initial":"a","states":{
             "a":{"entry":{"send":{"event":"GO"}},"exit":\#(exit),"on":{"GO":"b"}},
             "b":{"on":{"GO":"a"},"entry":{"send":{"event":"GO"}}}}}
            """#
        }
        #expect(try circles(chart("[]")) == [["GO", "GO", "GO"]])
        #expect(try circles(chart(#"{"send":{"event":"OTHER"}}"#)) == [])
    }

    @Test func `regions, guards, transitions without an event and other recipients are left out`()
        throws
    {
        let sending = #""E":{"send":{"event":"E"}}"#
        for states in [
            #""p":{"type":"parallel","states":{"x":{"on":{\#(sending)}},"y":{}}}"#,
            #""p":{"on":{"E":{"guard":"now > timestamp('2020-01-01T00:00:00Z')","#
                + #""send":{"event":"E"}}}}"#,
            #""p":{"always":{"guard":"1 > 2","target":"q"},"on":{\#(sending)}},"q":{}"#,
            #""p":{"on":{"E":{"send":{"event":"E","to":"parent"}}}}"#,
            #""p":{"on":{"E":{"send":{"event":"E","to":"internal"}}}}"#,
        ] {
            #expect(try circles(#"{"initial":"p","states":{\#(states)}}"#) == [], "\(states)")
        }
    }
}
