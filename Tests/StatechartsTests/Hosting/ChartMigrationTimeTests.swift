import OrderedJSON
import Testing

@testable import Statecharts

/// Migrations on a server, where time passes and children end.
@Suite struct ChartMigrationTimeTests {
    private let kid =
        #"{"id":"kid","version":"1","initial":"w","states":{"w":{"on":{"GO":"f"}},"#
        + #""f":{"type":"final","output":{"a":"1"}}}}"#

    /// A version of an order, whose first state has a name, and these members.
    private func order(_ version: String, _ state: String, _ members: String) -> String {
        #"{"id":"ord","version":"\#(version)","initial":"\#(state)","#
            + #""migrates":{"states":{"paying":"billing"}},"states":{"\#(state)":{\#(members)},"#
            + #""exp":{"type":"final"},"ok":{"type":"final"},"no":{"type":"final"}}}"#
    }

    private let both = #""after":{"2s":"exp"},"invoke":{"src":"machine:kid","onDone":"ok"}"#

    @Test func `the timer of a renamed state is due when it was due, also after a restart`() throws
    {
        let server = try ChartServer(kid, order("1", "paying", both))
        try server.ask(#"{"op":"create","to":"ord/1"}"#)
        try server.advance(500)
        try server.define(order("2", "billing", both))
        let reply = try server.ask(#"{"op":"migrate","to":"ord/1"}"#)
        #expect(reply["changed"] == true && reply["starts"] == nil && reply["stops"] == nil)
        #expect(reply["renames"]?.array?.count == 2)
        #expect(
            try server.effects("ord/1") == ["timer/billing/0", "invoke/billing.0/1 child"])
        try server.restart()
        try server.advance(1_499)
        #expect(try server.active("ord/1") == ["billing"])
        try server.advance(1)
        #expect(try server.active("ord/1") == ["exp"])
    }

    @Test func `an invocation of a renamed state completes it`() throws {
        let server = try ChartServer(kid, order("1", "paying", both))
        try server.ask(#"{"op":"create","to":"ord/1"}"#)
        try server.define(order("2", "billing", both))
        try server.ask(#"{"op":"migrate","to":"ord/1"}"#)
        let child = try #require(
            try server.get("ord/1")["effects"]?.array?.first?["child"]?.string)
        try server.ask(#"{"op":"send","to":"\#(child)","event":"GO"}"#)
        #expect(try server.active("ord/1") == ["ok"])
    }

    @Test func `a delayed send to the child of a renamed state arrives`() throws {
        func chart(_ version: String, _ state: String) -> String {
            order(
                version, state,
                #""invoke":{"src":"machine:kid","onDone":"ok"},"on":{"SEND":{"send":{"event":"GO","#
                    + #""to":"child:\#(state).0","delay":"1s"}}}"#)
        }
        let server = try ChartServer(kid, chart("1", "paying"))
        try server.ask(#"{"op":"send","to":"ord/1","event":"SEND"}"#)
        try server.define(chart("2", "billing"))
        try server.ask(#"{"op":"migrate","to":"ord/1"}"#)
        try server.advance(1_000)
        #expect(try server.active("ord/1") == ["ok"])
    }

    @Test func `timers that change places keep their times`() throws {
        let server = try ChartServer(
            kid, order("1", "billing", #""after":{"2s":"ok","1s":"exp"}"#))
        try server.ask(#"{"op":"create","to":"ord/1"}"#)
        try server.define(
            order(
                "2", "billing",
                #""after":{"500ms":{"guard":"false","target":"no"},"#
                    + #""1s":{"guard":"false","target":"exp"},"2s":"ok"}"#))
        let trial = try server.ask(#"{"op":"migrate","to":"ord/1","trial":true}"#)
        #expect(trial["starts"]?.array == ["timer/billing/0"])
        #expect(trial["renames"]?.array?.first?["to"] == "timer/billing/2")
        #expect(try server.effects("ord/1") == ["timer/billing/0", "timer/billing/1"])
        try server.ask(#"{"op":"migrate","to":"ord/1"}"#)
        try server.advance(1_999)
        #expect(try server.effects("ord/1") == ["timer/billing/2"])
        try server.advance(1)
        #expect(try server.active("ord/1") == ["ok"])
    }

    @Test func `a staying state gets what is new, and loses what is gone`() throws {
        let server = try ChartServer(kid, order("1", "billing", #""on":{"X":"ok"}"#))
        try server.ask(#"{"op":"create","to":"ord/1"}"#)
        try server.define(order("2", "billing", both))
        let trial = try server.ask(#"{"op":"migrate","to":"ord/1","trial":true}"#)
        #expect(trial["starts"]?.array == ["timer/billing/0", "invoke/billing.0/1"])
        #expect(try server.effects("ord/1").isEmpty)
        try server.ask(#"{"op":"migrate","to":"ord/1"}"#)
        #expect(
            try server.effects("ord/1") == ["timer/billing/0", "invoke/billing.0/1 child"])
        let child = try #require(
            try server.get("ord/1")["effects"]?.array?.first?["child"]?.string)
        try server.define(order("3", "billing", #""on":{"X":"ok"}"#))
        let reply = try server.ask(#"{"op":"migrate","to":"ord/1"}"#)
        #expect(reply["stops"]?.array == ["timer/billing/0", "invoke/billing.0/1"])
        #expect(try server.effects("ord/1").isEmpty)
        #expect(try server.get(child)["result"] == "stopped")
    }
}
