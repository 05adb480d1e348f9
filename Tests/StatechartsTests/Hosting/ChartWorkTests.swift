import OrderedJSON
import Testing

@testable import Statecharts

/// What one client's events may cost the others.
@Suite("Charts: work")
struct ChartWorkTests {
    private static let heavy = """
        {"id": "heavy", "initial": "n",
         "context": {"list": [\(Array(repeating: "0", count: 900).joined(separator: ","))],
                     "copy": null, "x": 0, "n": 0},
         "states": {"n": {"on": {
           "LOOP": {"actions": [
             {"foreach": {"in": "context.list", "item": "x",
                          "actions": [{"assign": {"n": "context.n + 1"}}]}}]},
           "COPY": {"actions": [
             {"foreach": {"in": "context.list", "item": "x",
                          "actions": [{"assign": {"copy": "context.list"}}]}}]}}}}}
        """

    private func results(_ isAtomic: Bool, _ server: ChartServer) throws -> JSONValue {
        let item = #"{"to":"heavy/1","event":"LOOP"}"#
        let items = Array(repeating: item, count: 500).joined(separator: ",")
        return try server.ask(#"{"op":"batch","atomic":\#(isAtomic),"items":[\#(items)]}"#)
    }

    @Test func `what the items of a batch compute is bounded`() throws {
        let server = try ChartServer(Self.heavy)
        let reply = try results(false, server)
        let codes = (reply["results"]?.array ?? []).map { $0["error"]?["code"]?.string ?? "ok" }
        let applied = codes.prefix { $0 == "ok" }.count
        #expect((20..<120).contains(applied))
        #expect(codes.dropFirst(applied).allSatisfy { $0 == "LIMIT" })
        #expect(codes.count == 500)
        #expect(try results(true, server)["error"]?["code"] == "LIMIT")
        #expect(try server.get("heavy/1")["v"] == .integer(Int64(applied)))
    }

    @Test(arguments: ["ok", "EVAL_ERROR", "INSTANCE_DONE"])
    func `what the starts of a batch's items compute is bounded`(code: String) throws {
        let list = Array(repeating: "0", count: 900).joined(separator: ",")
        let loop = """
            {"foreach": {"in": "context.list", "item": "x",
                         "actions": [{"assign": {"n": "context.n + 1"}}]}}
            """
        let (last, kind) =
            switch code {
            case "EVAL_ERROR": (#", {"assign": {"n": "context.list[1000]"}}"#, "")
            case "INSTANCE_DONE": ("", #""type": "final","#)
            default: ("", "")
            }
        let server = try ChartServer(
            """
            {"id": "slow", "initial": "n", "context": {"list": [\(list)], "x": 0, "n": 0},
             "states": {"n": {\(kind) "entry": [\(loop)\(last)]}}}
            """)
        let items = (0..<500).map { #"{"to":"slow/\#($0)","event":"E"}"# }
        let reply = try server.ask(
            #"{"op":"batch","atomic":false,"items":[\#(items.joined(separator: ","))]}"#)
        let codes = (reply["results"]?.array ?? []).map { $0["error"]?["code"]?.string ?? "ok" }
        let applied = codes.prefix { $0 == code }.count
        #expect((20..<120).contains(applied), "\(codes.first ?? "")")
        #expect(codes.dropFirst(applied).allSatisfy { $0 == "LIMIT" } && codes.count == 500)
    }

    @Test func `a list that is kept again and again counts`() throws {
        let server = try ChartServer(Self.heavy)
        #expect(try server.code(#"{"op":"send","to":"heavy/1","event":"LOOP"}"#) == "ok")
        #expect(try server.code(#"{"op":"send","to":"heavy/1","event":"COPY"}"#) == "EVAL_LIMIT")
    }
}
