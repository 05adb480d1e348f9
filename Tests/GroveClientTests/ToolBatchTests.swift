import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("grove batch", .ownThreads, .timeLimit(.minutes(3)))
struct ToolBatchTests {
    private let lines = """
        # a comment, and an empty line

        counter/a increment
        counter/a {"type":"add","amount":5}
          {"to":"turnstile/gate","event":"COIN"}
        counter/b "increment"
        """ + "\r\n"

    @Test func `a file of events is sent in order, many per request`() async throws {
        let server = try ServedFile()
        let outcome = try await Tool.run(
            "batch", "-", "--chunk", "2", server: server.address, input: lines)
        #expect(outcome.code == 0, "\(outcome.notes)")
        #expect(outcome.lines == ["4 lines: 4 applied"] && outcome.notes.isEmpty)
        let client = Client(server: server.address)
        #expect(try await client.get("counter/a").state == ["count": 6])
        #expect(try await client.get("turnstile/gate").version == 1)
    }

    @Test func `an error of many requests is reported once`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("ping"))
                try connection.awaitClose()
            },
            { connection in
                try connection.greet()
                while let line = try connection.line() {
                    let request = try JSONValue(parsing: Array(line.utf8))
                    if request["op"] == "batch" {
                        try connection.refuse(request, "STORAGE_FULL", retry: true)
                    }
                }
            })
        let input = (0..<20).map { "counter/i-\($0) increment\n" }.joined()
        let outcome = try await Tool.run(
            "batch", "-", "--chunk", "2", "--timeout", "3s", server: server.address,
            input: input)
        #expect(outcome.code == 75)
        #expect(
            outcome.notes.split(separator: "\n").map(String.init) == [
                "lines 1 to 16: not done:", "error: STORAGE_FULL: no",
                "hint: the server's disk is full; nothing was changed", "lines 17 to 20: not sent",
            ], "\(outcome.notes)")
    }

    @Test func `a file with keys can be sent again`() async throws {
        let server = try ServedFile()
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("batch-\(UUID().uuidString).txt")
        try lines.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        for expected in ["4 lines: 4 applied", "4 lines: 0 applied, 4 repeated"] {
            let outcome = try await Tool.run(
                "batch", file.path, "--dedup", "import-1", server: server.address)
            #expect(outcome.code == 0 && outcome.lines == [expected], "\(outcome.notes)")
        }
    }

    @Test func `a broken line is reported, and nothing is sent unless it may be skipped`()
        async throws
    {
        let server = try ServedFile()
        let input = """
            counter/a increment
            counter/a
            {"to":"counter/a"}
            {"to":"counter/a","event":"increment"
            nonsense increment
            counter/a two words
            """
        let refused = try await Tool.run("batch", "-", server: server.address, input: input)
        #expect(refused.code == 65 && refused.output.isEmpty)
        for number in 2...6 { #expect(refused.notes.contains("line \(number): error: ")) }
        #expect(refused.notes.contains("nothing was sent"))
        let json = try await Tool.run(
            "batch", "-", "--json", server: server.address, input: input)
        let error = try JSONValue(parsing: Array(json.output.utf8))["error"]
        #expect(json.code == 65 && json.lines.count == 1 && error?["code"] == "DATA_ERROR")
        #expect(error?["message"] == "5 lines broken; nothing was sent")
        #expect(
            error?["data"]?["lines"]?.array?.compactMap { $0["line"]?.integer } == Array(2...6))
        let skipped = try await Tool.run(
            "batch", "-", "--skip-broken", server: server.address, input: input)
        #expect(skipped.code == 65 && skipped.lines == ["1 line: 1 applied"])
    }

    @Test func `a refused line is reported with its number, and the others continue`() async throws
    {
        let server = try ServedFile()
        let input = "counter/a increment\nturnstile/gate PUSH\ncounter/a jump\ncounter/a reset\n"
        let outcome = try await Tool.run("batch", "-", server: server.address, input: input)
        #expect(outcome.code == 1)
        #expect(outcome.notes.contains("line 2:\nerror: EVENT_REJECTED"))
        #expect(outcome.notes.contains("line 3:\nerror: BAD_EVENT"))
        #expect(outcome.lines == ["4 lines: 2 applied, 2 refused"])
        let json = try await Tool.run(
            "batch", "-", "--json", server: server.address, input: input)
        #expect(json.lines.count == 4, "\(json.output)")
        #expect(json.lines.first?.hasPrefix(#"{"v":3,"cur":"#) == true)
        #expect(json.lines.dropFirst().first?.hasPrefix(#"{"error":{"code":"#) == true)
        #expect(json.notes.hasSuffix("4 lines: 2 applied, 2 refused\n"))
    }

    @Test func `atomic requests are applied wholly or not at all`() async throws {
        let server = try ServedFile()
        let input = "counter/a increment\nturnstile/gate PUSH\ncounter/b increment\n"
        let whole = try await Tool.run(
            "batch", "-", "--atomic", server: server.address, input: input)
        #expect(whole.code == 1 && whole.lines == ["3 lines: 0 applied, 3 refused"])
        #expect(whole.notes.contains("lines 1 to 3: nothing was done, because of line 2:"))
        let parts = try await Tool.run(
            "batch", "-", "--atomic", "--chunk", "2", server: server.address, input: input)
        #expect(parts.code == 1 && parts.lines == ["3 lines: 1 applied, 2 refused"])
        let many = (0...1_000).map { _ in "counter/a increment\n" }.joined()
        let tooMany = try await Tool.run(
            "batch", "-", "--atomic", server: server.address, input: many)
        #expect(tooMany.code == 64 && tooMany.notes.contains("--chunk says"))
    }

    @Test func `requests are split to fit a line`() async throws {
        let server = try FakeServer(
            BatchScript.asked(maxLine: 300),
            { connection in
                try connection.greet(maxLine: 300)
                for _ in 0..<2 {
                    try BatchScript.accept(BatchScript.next(connection, count: 5), connection)
                }
                try connection.awaitClose()
            })
        let input = (0..<10).map { _ in "counter/a increment\n" }.joined()
        let outcome = try await Tool.run("batch", "-", server: server.address, input: input)
        #expect(outcome.code == 0 && outcome.lines == ["10 lines: 10 applied"])
        try await server.finish()
    }

    @Test func `a file that isn't there is 66`() async throws {
        let outcome = try await Tool.run("batch", "/nonexistent/events")
        #expect(outcome.code == 66 && outcome.notes.hasPrefix("error: /nonexistent/events: "))
        #expect(try await Tool.run("batch", "-", "--chunk", "0").code == 64)
    }
}
