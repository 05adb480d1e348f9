import Testing
import Transducers

/// Products as hosts see them: one instance, one step, JSON that reads well.
@Suite("Hosted parallel products")
struct ParallelEventTests {
    typealias Both = Parallel<Parts.Count, Parts.Door, EndsWithAll>

    @Test func `a product is hosted as one instance with both states`() throws {
        var both = try Parts.Hosted(Definition(Both.self, named: "both", version: "1.0.0"))
        let initial = try both.initial()
        #expect(initial.state == #"{"first":{"count":0,"limit":3},"second":"shut"}"#)
        #expect(initial.outputs == [#"{"type":"second","value":"is shut"}"#])
        let counted = try both.apply(
            #"{"type":"first","value":{"type":"add","value":2}}"#)
        #expect(counted.state == #"{"first":{"count":2,"limit":3},"second":"shut"}"#)
        #expect(counted.outputs == [#"{"type":"first","value":2}"#])
        let opened = try both.apply(#"{"type":"second","value":"open"}"#)
        #expect(opened.state == #"{"first":{"count":2,"limit":3},"second":"open"}"#)
        #expect(opened.outputs == [#"{"type":"second","value":"is open"}"#])
    }

    @Test func `a silent output of a side is not written`() throws {
        var both = try Parts.Hosted(Definition(Both.self, named: "both", version: "1.0.0"))
        #expect(try both.apply(#"{"type":"second","value":"knock"}"#).outputs == [])
    }

    @Test func `an event for a side that has ended is rejected`() throws {
        var both = try Parts.Hosted(Definition(Both.self, named: "both", version: "1.0.0"))
        _ = try both.apply(#"{"type":"second","value":"remove"}"#)
        #expect(!both.instance.isTerminal)
        let rejection = Rejection(
            "the second machine has ended and takes no more events", accepts: ["first"])
        #expect(throws: StepFailure.rejected(rejection)) {
            try both.apply(#"{"type":"second","value":"open"}"#)
        }
        _ = try both.apply(#"{"type":"first","value":{"type":"add","value":3}}"#)
        #expect(both.instance.isTerminal)
    }

    @Test func `a failure from outside ends the product and is in its state`() throws {
        var both = try Parts.Hosted(Definition(Both.self, named: "both", version: "1.0.0"))
        let failure = #"{"side":"second","reason":"fire"}"#
        let step = try both.apply(#"{"type":"failed","value":\#(failure)}"#)
        #expect(step.outputs == [#"{"type":"failed","value":\#(failure)}"#])
        #expect(
            step.state
                == #"{"first":{"count":0,"limit":3},"second":"shut","failure":\#(failure)}"#)
        #expect(both.instance.isTerminal)
    }

    @Test func `a stored state comes back as it was`() throws {
        let definition = Definition(Both.self, named: "both", version: "1.0.0")
        var both = try Parts.Hosted(definition)
        let stored = #"{"first":{"count":1,"limit":9},"second":"open"}"#
        both.instance = try definition.machine.restoreInstance(state: Array(stored.utf8))
        let step = try both.apply(#"{"type":"first","value":{"type":"add","value":1}}"#)
        #expect(step.state == #"{"first":{"count":2,"limit":9},"second":"open"}"#)
    }

    @Test func `an event of no side differs from an unknown event of a side`() throws {
        var both = try Parts.Hosted(Definition(Both.self, named: "both", version: "1.0.0"))
        let third = #expect(throws: EventError.self) {
            try both.apply(#"{"type":"third","value":1}"#)
        }
        #expect(third?.path.hasSuffix("type") == true)
        let unknown = #expect(throws: EventError.self) {
            try both.apply(#"{"type":"second","value":"explode"}"#)
        }
        #expect(unknown?.path.hasSuffix("value") == true)
    }
}
