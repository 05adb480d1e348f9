import Testing

@testable import Statecharts

/// History states (SCXML 3.10).
struct HistoryTests {
    static func chart(_ kind: String) -> String {
        #"""
        {"initial":"out","states":{
          "out":{"on":{"in":"#h"}},
          "s":{"initial":"a","entry":{"log":"'entry'"},"on":{"leave":"out"},"states":{
            "h":{"type":"history","history":"\#(kind)","target":"b","actions":[{
            "log":"'default'"}]},
            "a":{"initial":"a1","states":{"a1":{"on":{"n":"a2"}},"a2":{"on":{"n":"#b"}}}},
            "b":{"initial":"b1","entry":{"log":"'b'"},
                 "states":{"b1":{"on":{"n":"b2"}},"b2":{}}}}}}}
        """#
    }

    @Test func `the default is taken once, with its actions after the entry of the state around`()
        throws
    {
        var trial = try Trial(Self.chart("deep"))
        try trial.send("in")
        #expect(trial.active == "b1")
        #expect(trial.log == [#""entry""#, #""default""#, #""b""#])
        try trial.send("leave")
        trial.run.records = []
        try trial.send("in")
        #expect(trial.log == [#""entry""#, #""b""#])
    }

    @Test(arguments: [("deep", "b2"), ("shallow", "b1")])
    func `deep history restores the states without children, shallow the children`(
        kind: String, expected: String
    ) throws {
        var trial = try Trial(Self.chart(kind))
        try trial.send("in")
        try trial.send("n")
        #expect(trial.active == "b2")
        try trial.send("leave")
        try trial.send("in")
        #expect(trial.active == expected)
    }

    @Test func `a history state is never active`() throws {
        var trial = try Trial(Self.chart("deep"))
        try trial.send("in")
        #expect(!trial.stored.contains(#""h""#))
    }

    @Test func `without a default, the default is that of the state around`() throws {
        var trial = try Trial(
            #"""
            {"initial":"out","states":{"out":{"on":{"in":"#h"}},
              "s":{"initial":"b","states":{"a":{},"b":{},"h":{"type":"history"}}}}}
            """#)
        try trial.send("in")
        #expect(trial.active == "b")
    }

    @Test func `initial may be a history state`() throws {
        var trial = try Trial(
            #"""
            {"initial":"s","states":{"out":{"on":{"in":"s"}},
              "s":{"initial":"h","on":{"leave":"out"},"states":{"a":{"on":{"n":"b"}},"b":{},
              "h":{"type":"history","target":"a"}}}}}
            """#)
        #expect(trial.active == "a")
        try trial.send("n")
        try trial.send("leave")
        try trial.send("in")
        #expect(trial.active == "b")
    }

    @Test func `history is stored with the state`() throws {
        var trial = try Trial(Self.chart("deep"))
        try trial.send("in")
        try trial.send("n")
        try trial.send("leave")
        #expect(
            trial.stored
                == #"{"value":"out","context":{},"history":{"h":["b2"]}}"#)
    }
}
