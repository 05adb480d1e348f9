import CEL
import GroveEngine
import OrderedJSON
import Testing

@testable import Statecharts

/// Results of invocations that a chart can't take.
@Suite struct ChartResultTests {
    private func chart(_ onError: String) -> String {
        #"{"id":"o","version":"1","initial":"a","context":{"why":null,"r":""},"states":{"a":{"#
            + #""invoke":{"id":"pay","src":"http","url":"https://a.example","#
            + #""onDone":{"target":"ok","assign":{"r":"event.output.body.receipt"}}\#(onError)}},"#
            + #""ok":{},"no":{}}}"#
    }

    private let onError = #","onError":{"target":"no","assign":{"why":"event.error"}}"#

    @Test func `it is the failure of the invocation, where a transition takes that`() throws {
        let server = try ChartServer(chart(onError))
        try server.ask(#"{"op":"create","to":"o/1"}"#)
        try server.report(.completed(["status": 200, "body": nil]))
        #expect(try server.active("o/1") == ["no"])
        let why = try server.get("o/1")["state"]?["context"]?["why"]
        #expect(why?["code"] == "RESULT_REFUSED")
        #expect(why?["message"]?.string?.hasPrefix("its result can't be applied: ") == true)
        #expect(try server.effects("o/1").isEmpty)
        #expect(try server.get("o/1")["state"]?["invoked"] == nil)
    }

    @Test(arguments: ["", #","onError":{"target":"no","assign":{"why":"event.nothing"}}"#])
    func `without one, or if that fails too, the effect stays`(onError: String) throws {
        let server = try ChartServer(chart(onError))
        try server.ask(#"{"op":"create","to":"o/1"}"#)
        try server.report(.completed(["status": 200, "body": nil]))
        #expect(try server.active("o/1") == ["a"])
        #expect(try server.effects("o/1") == ["invoke/pay/1 failed"])
        try server.ask(#"{"op":"retry","to":"o/1","effect":1}"#)
        try server.report(.completed(["body": ["receipt": "r-1"]]))
        #expect(try server.active("o/1") == ["ok"])
    }

    @Test func `a result of a child is one`() throws {
        let server = try ChartServer(
            #"{"id":"kid","version":"1","initial":"f","states":{"f":{"type":"final"}}}"#,
            #"{"id":"od","version":"1","initial":"a","states":{"a":{"invoke":{"id":"k","#
                + #""src":"machine:kid","onDone":{"target":"ok","guard":"event.output.zz == 1"},"#
                + #""onError":"err"}},"ok":{},"err":{}}}"#)
        try server.ask(#"{"op":"create","to":"od/1"}"#)
        #expect(try server.active("od/1") == ["err"])
    }

    @Test func `a run in virtual time does the same`() throws {
        let json = try JSONValue(parsing: Array(chart(onError).utf8))
        var run = ChartRun(try Chart(json), start: CELTimestamp(milliseconds: 0))
        try run.start()
        try run.answer("pay", with: .null)
        #expect(run.activeStates == ["no"])
        let bare = try JSONValue(parsing: Array(chart("").utf8))
        var other = ChartRun(try Chart(bare), start: CELTimestamp(milliseconds: 0))
        try other.start()
        try other.answer("pay", with: .null)
        #expect(other.activeStates == ["a"])
    }
}
