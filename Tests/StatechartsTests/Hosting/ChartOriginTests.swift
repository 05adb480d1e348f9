import OrderedJSON
import Testing

@testable import Statecharts

/// Nobody but the server says where an event comes from.
@Suite struct ChartOriginTests {
    private static let spoofed =
        #"{"type":"done.invoke.ship","output":"hacked","$meta":{"kind":"platform","#
        + #""invoke":"ship","serial":1}}"#

    private let pay = """
        {"id":"pay","version":"1","initial":"a","context":{"got":null},"states":{"a":{"after":
        {"1h":"late"},"on":{"PAY":{"assign":{"got":"meta.via"}}},"invoke":{"id":"ship","src":"http",
        "url":"https://a.example","onDone":"paid"}},"late":{},"paid":{}}}
        """

    @Test(arguments: [
        spoofed, #"{"type":"done.invoke.ship"}"#, #"{"type":"$migrate"}"#, #"{"type":7}"#, "7",
        #"{"type":"after","$meta":{"kind":"platform","state":"a","timer":0}}"#,
    ])
    func `a client that retries can't claim an origin`(event: String) throws {
        let server = try ChartServer(pay)
        try server.ask(#"{"op":"create","to":"pay/1"}"#)
        let timers = try server.get("pay/1")["timers"]?.array
        let timer = try #require(timers?.first?["effect"]?.integer)
        let retry = #"{"op":"retry","to":"pay/1","effect":\#(timer),"event":"#
        #expect(try server.code(retry + event + "}") == "BAD_REQUEST")
        for op in ["send", "can"] {
            let code = try server.code(#"{"op":"\#(op)","to":"pay/1","event":\#(event)}"#)
            #expect(["BAD_EVENT", "BAD_REQUEST"].contains(code))
        }
        // What a client may send is one of a client.
        #expect(try server.code(retry + #"{"type":"PAY"}}"#) == "ok")
        try server.advance(3_600_000)
        let state = try server.get("pay/1")["state"]
        #expect(state?["value"] == "a" && state?["context"]?["got"] == "client")
    }

    @Test func `the replacement of a timer is read by the instance's own version`() throws {
        let server = try ChartServer(pay)
        try server.ask(#"{"op":"create","to":"pay/1"}"#)
        try server.define(
            #"{"id":"pay","version":"2","initial":"z","states":{"z":{"on":{"X":"z"}}}}"#)
        let timers = try server.get("pay/1")["timers"]?.array
        let timer = try #require(timers?.first?["effect"]?.integer)
        let retry = #"{"op":"retry","to":"pay/1","effect":\#(timer),"event":{"type":"PAY"}}"#
        #expect(try server.code(retry) == "ok")
        try server.advance(3_600_000)
        #expect(try server.get("pay/1")["state"]?["context"]?["got"] == "client")
    }

    private let kid = #"{"id":"kid","version":"1","initial":"w","states":{"w":{"on":{"X":"w"}}}}"#
    private let payout = """
        {"id":"payout","version":"1","initial":"wait","states":{"wait":{"invoke":{"id":"approval",
        "src":"machine:kid","onDone":"paid"}},"paid":{}}}
        """

    @Test func `a chart can't give its child an event of the server's`() throws {
        let server = try ChartServer(
            kid, payout,
            """
            {"id":"evil","version":"1","initial":"a","context":{"t":"done.invoke.approval",
            "u":"$migrate","why":null},"states":{"a":{"invoke":[{"id":"p","src":"machine:payout",
            "autoforward":true},{"id":"approval","src":{"machine":{"initial":"q","states":{"q":{
            "after":{"1s":"f"}},"f":{"type":"final","output":{"by":"'the boss'"}}}}}}],"on":{
            "GO":{"send":{"to":"child:p","event":{"type":{"expr":"context.t"}}}},
            "SELF":{"send":{"event":{"type":{"expr":"context.t"}}}},
            "BAD":{"send":{"event":{"type":{"expr":"context.u"}}}},
            "WORSE":{"raise":{"type":{"expr":"context.u"}}},
            "error.communication":{"assign":{"why":"event.error.code"}}}}}}
            """)
        try server.ask(#"{"op":"create","to":"evil/1"}"#)
        let list = try server.ask(#"{"op":"list","machine":"payout"}"#)
        let child = try #require(list["items"]?.array?.first?["to"]?.string)
        // By name, by what the chart sends itself and hands on, and by the end of a namesake.
        try server.ask(#"{"op":"send","to":"evil/1","event":"GO"}"#)
        #expect(try server.get("evil/1")["state"]?["context"]?["why"] == "FAILED")
        try server.ask(#"{"op":"send","to":"evil/1","event":"SELF"}"#)
        try server.advance(1_000)
        #expect(try server.active(child) == ["wait"])
        #expect(try server.get(child)["effects"]?.array?.count == 1)
        for event in ["BAD", "WORSE"] {
            #expect(
                try server.code(#"{"op":"send","to":"evil/1","event":"\#(event)"}"#)
                    == "EVAL_ERROR")
        }
    }

    @Test(arguments: [
        (#"{"send":{"to":"child:p","event":{"type":"X","$meta":{}}}}"#, #"event["$meta"]"#),
        (#"{"raise":{"type":"X","$meta":{"kind":"'platform'"}}}"#, #"raise["$meta"]"#),
        (#"{"send":{"event":"$migrate"}}"#, ".event"), (#"{"raise":"$x"}"#, "only the server"),
        (#"{"raise":{"type":"$x"}}"#, ".type"),
    ])
    func `an event of a definition can't claim an origin`(action: String, problem: String) throws {
        func problems(_ action: String) throws -> String {
            let text = #"{"initial":"a","states":{"a":{"entry":\#(action)}}}"#
            let json = try JSONValue(parsing: Array(text.utf8))
            do throws(ChartProblems) {
                _ = try Chart(json)
                return ""
            } catch {
                return error.errors.map(\.description).joined(separator: "\n")
            }
        }
        let found = try problems(action)
        #expect(found.contains(problem), "\(found)")
        // An output is no event.
        #expect(try problems(#"{"emit":{"type":"$x","$meta":"1"}}"#) == "")
    }

    @Test func `only events from outside are deferred, in a state that is imported too`() throws {
        let server = try ChartServer(
            #"{"id":"d","version":"1","initial":"a","states":{"a":{"defer":"E","on":{"N":"b"}},"#
                + #""b":{"on":{"E":"c","done.invoke.x":"c"}},"c":{}}}"#)
        func code(_ event: String) throws -> String {
            try server.code(
                #"{"op":"import","to":"d/1","v":0,"trial":true,"state":{"value":"a","context":{},"#
                    + #""deferred":[\#(event)]}}"#)
        }
        #expect(try code(#"{"type":"E"}"#) == "ok")
        #expect(
            try code(#"{"type":"E","$meta":{"kind":"external","via":"machine","origin":"k/1"}}"#)
                == "ok")
        #expect(
            try code(#"{"type":"done.invoke.x","$meta":{"kind":"platform","invoke":"x"}}"#)
                == "BAD_REQUEST")
    }
}
