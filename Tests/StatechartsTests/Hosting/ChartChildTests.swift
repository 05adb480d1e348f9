import OrderedJSON
import Testing

@testable import Statecharts

/// What a child sends to its parent: that takes it only while the invocation runs.
@Suite struct ChartChildTests {
    private static let kid = """
        {"initial":"w","context":{"tag":""},"states":{"w":{"on":{
        "PING":{"send":{"event":{"type":"hello","tag":"context.tag"},"to":"parent"}},
        "LATER":{"send":{"event":{"type":"hello","tag":"'late'"},"to":"parent","delay":"1s"}},
        "NAME":{"send":{"event":{"type":"hello","tag":"'named'"},"to":"job/1"}},"FIN":"f"}},
        "f":{"type":"final","entry":{"send":{"event":"bye","to":"parent"}}}}}
        """

    private static let job = """
        {"id":"job","version":"1","initial":"n","context":{"tag":"","log":""},"states":{
        "n":{"on":{"GO":{"target":"r","assign":{"tag":"event.tag"}},
        "hello":{"assign":{"log":"context.log + 'stray '"}}}},
        "r":{"invoke":{"id":"k","src":{"machine":\(kid)},"input":{"tag":"context.tag"},
        "onDone":{"target":"n","assign":{"log":"context.log + 'done '"}}},
        "on":{"OUT":"n","END":"f","bye":{"assign":{"log":"context.log + 'bye '"}},
        "hello":{"assign":{"log":"context.log + event.tag + ' '"}}}},
        "f":{"type":"final"}}}
        """

    private let server: ChartServer

    init() throws { server = try ChartServer(Self.job) }

    private func event(_ type: String, to name: String) -> String {
        #"{"op":"send","to":"\#(name)","event":"\#(type)"}"#
    }

    private func go(_ tag: String) -> String {
        #"{"op":"send","to":"job/1","event":{"type":"GO","tag":"\#(tag)"}}"#
    }

    private let delete = #"{"op":"delete","to":"job/1"}"#

    /// The child that the parent has now.
    private func child() throws -> String {
        let effects = try server.get("job/1")["effects"]?.array
        return try #require(effects?.first { $0["child"] != nil }?["child"]?.string)
    }

    private func log() throws -> String {
        try #require(try server.get("job/1")["state"]?["context"]?["log"]?.string)
    }

    @Test func `an event of a child makes no parent that was deleted`() throws {
        try server.ask(go("old"))
        let kid = try child()
        try server.askTogether(event("PING", to: kid), delete)
        #expect(try server.code(#"{"op":"get","to":"job/1"}"#) == "NO_SUCH_INSTANCE")
        #expect(try server.get(kid)["done"] == true)
        #expect(try server.effects(kid).isEmpty)
    }

    @Test func `a new instance with the name of the parent is no parent`() throws {
        try server.ask(go("old"))
        let kid = try child()
        try server.ask(event("LATER", to: kid))
        try server.askTogether(event("PING", to: kid), delete, go("new"))
        try server.advance(2_000)
        #expect(try log() == "")
        try server.ask(event("PING", to: try child()))
        #expect(try log() == "new ")
    }

    @Test(arguments: ["OUT", "END", "stop"])
    func `nothing arrives after the state was left, or the parent has ended`(
        how: String
    ) throws {
        try server.ask(go("old"))
        let kid = try child()
        let end = how == "stop" ? #"{"op":"stop","to":"job/1"}"# : event(how, to: "job/1")
        try server.askTogether(event("PING", to: kid), end)
        #expect(try log() == "")
        #expect(try server.get(kid)["done"] == true)
        #expect(try server.effects("job/1").isEmpty)
        #expect(try server.effects(kid).isEmpty)
    }

    @Test func `an event of a stopped child isn't one of the next invocation`() throws {
        try server.ask(go("old"))
        try server.askTogether(
            event("PING", to: try child()), event("OUT", to: "job/1"), go("new"))
        #expect(try log() == "")
        try server.ask(event("PING", to: try child()))
        #expect(try log() == "new ")
    }

    @Test(arguments: [false, true])
    func `what a child sends last comes before its end, also after a hold`(
        restarts: Bool
    ) throws {
        try server.ask(go("old"))
        let kid = try child()
        try server.ask(#"{"op":"suspend","to":"job/1"}"#)
        try server.ask(event("FIN", to: kid))
        #expect(try server.get(kid)["done"] == true)
        if restarts { try server.restart() }
        try server.ask(#"{"op":"resume","to":"job/1"}"#)
        #expect(try log() == "bye done ")
        #expect(try server.active("job/1") == ["n"])
        #expect(try server.effects(kid).isEmpty)
    }

    @Test func `many last events come in turns, before the end`() throws {
        let count = 40
        let list = (0..<count).map { "\($0)" }.joined(separator: ",")
        let server = try ChartServer(
            """
            {"id":"sum","initial":"n","context":{"log":""},"states":{
            "n":{"on":{"GO":"r"}},
            "r":{"invoke":{"id":"k","src":{"machine":
              {"initial":"w","context":{"list":[\(list)],"x":0},"states":{"w":{"on":{"FIN":"f"}},
              "f":{"type":"final","entry":{"foreach":{"in":"context.list","item":"x","actions":[
                {"send":{"event":{"type":"one","x":"context.x"},"to":"parent"}}]}}}}}},
            "onDone":{"target":"n","assign":{"log":"context.log + 'done'"}}},
            "on":{"one":{"assign":{"log":"context.log + string(event.x) + ' '"}}}}}}
            """)
        try server.ask(#"{"op":"send","to":"sum/1","event":"GO"}"#)
        let effects = try server.get("sum/1")["effects"]?.array
        let kid = try #require(effects?.first { $0["child"] != nil }?["child"]?.string)
        // The parent's work wakes in one turn, the child's outcome before what it has sent.
        try server.ask(#"{"op":"suspend","to":"sum/1"}"#)
        try server.ask(event("FIN", to: kid))
        let versions = try server.askInTurns(
            #"{"op":"resume","to":"sum/1"}"#, watching: "sum/1")
        let steps = zip(versions.dropFirst(), versions).map { $0 - $1 }
        #expect(steps.max() == 16, "\(versions)")
        let log = try server.get("sum/1")["state"]?["context"]?["log"]?.string
        #expect(log == (0..<count).map { "\($0) " }.joined() + "done")
    }

    @Test func `an event to a name is for whatever has it`() throws {
        try server.ask(go("old"))
        try server.askTogether(event("NAME", to: try child()), delete)
        #expect(try log() == "stray ")
    }
}
