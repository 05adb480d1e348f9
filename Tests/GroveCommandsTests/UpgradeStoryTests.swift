import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// An upgrade as in docs/hosting.md, with the commands that a user would run: the machine `bill` of
/// Tests/TestShop in its two versions.
@Suite("The story of an upgrade", .ownThreads, .timeLimit(.minutes(2)))
struct UpgradeStoryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func binary() throws -> URL {
        try GroveBinary.find().deletingLastPathComponent().appending(path: "TestShop")
    }

    /// Runs a command of the program's second version.
    private func run(_ arguments: String...) throws -> Command.Outcome {
        try Command.run("BILL_VERSION=2", [try Self.binary().path] + arguments)
    }

    private func serve(_ file: String, isNew: Bool) throws -> ServerProcess {
        try ServerProcess(
            data: folder.path(file), binary: try Self.binary(),
            environment: isNew ? ["BILL_VERSION": "2"] : [:])
    }

    /// Writes data with the first version: two bills, one of them with a timer.
    private func writeData() throws {
        let old = try serve("bills.db", isNew: false)
        let client = try LineClient(port: old.port)
        for (to, event) in [
            ("bill/a", #"{"type":"order","price":3}"#), ("bill/a", #"{"type":"order","price":4}"#),
            ("bill/b", #""wait""#),
        ] {
            try client.send(#"{"op":"send","id":1,"to":"\#(to)","event":\#(event)}"#)
            #expect(try client.readLine().contains(#""ok":true"#))
        }
        #expect(old.stop() == 0)
    }

    @Test func `an upgrade is rehearsed, repaired by retry, and done`() throws {
        try writeData()
        let data = folder.path("bills.db")
        let rehearsal = try run("check-data", data, "--replay", "--json")
        #expect(rehearsal.status == 1)
        let report = try JSONValue(parsing: Array(rehearsal.output.utf8))
        #expect(report["replayed"]?.integer == 3 && report["not_replayed"]?.integer == 0)
        let differences = report["differences"]?.array ?? []
        #expect(
            differences.map { $0["what"]?.string } == [
                "the event that effect 1 holds can't be read: there is no case \"ring\""
            ])
        #expect(differences.first?["definition_version"]?.string == "1")

        let server = try serve("bills.db", isNew: true)
        let address = "127.0.0.1:\(server.port)"
        let open = try run("list", "bill", "--state", "open", "--server", address)
        #expect(open.output.contains("bill/a") && open.output.contains("bill/b"))
        let order = try run("send", "bill/a", #"{"type":"order","price":1}"#, "--server", address)
        #expect(order.status == 0, "\(order.output)")
        #expect(
            try run("get", "bill/a", "--json", "--server", address).output
                .contains(#"{"sum":8,"status":"open"}"#))
        let retry = try run("retry", "bill/b", "1", "--event", "pay", "--server", address)
        #expect(retry.status == 0, "\(retry.output)")
        #expect(server.stop() == 0)

        let after = try run("check-data", data, "--replay", "--json")
        #expect(after.status == 0, "\(after.output)")
    }

    @Test func `an export of the first version is imported into the second`() throws {
        try writeData()
        let lines = try run("export", "--data", folder.path("bills.db"), "--machine", "bill")
        let file = folder.url.appendingPathComponent("bills.jsonl")
        // The lines on standard error don't belong to the export.
        let export = lines.output.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(export.count == 2)
        try export.map { $0 + "\n" }.joined().write(to: file, atomically: true, encoding: .utf8)

        let server = try serve("other.db", isNew: true)
        let address = "127.0.0.1:\(server.port)"
        for made in [2, 0] {
            let outcome = try run("import", file.path, "--json", "--server", address)
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("\"made\":\(made)"), "\(outcome.output)")
        }
        #expect(
            try run("get", "bill/a", "--json", "--server", address).output
                .contains(#"{"sum":7,"status":"open"}"#))
        #expect(server.stop() == 0)
    }
}
