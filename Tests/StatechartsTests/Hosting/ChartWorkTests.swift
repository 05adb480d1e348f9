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

    @Test func `a list that is kept again and again counts`() throws {
        let server = try ChartServer(Self.heavy)
        #expect(try server.code(#"{"op":"send","to":"heavy/1","event":"LOOP"}"#) == "ok")
        #expect(try server.code(#"{"op":"send","to":"heavy/1","event":"COPY"}"#) == "EVAL_LIMIT")
    }
}
