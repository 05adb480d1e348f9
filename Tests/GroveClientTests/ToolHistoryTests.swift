import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// `grove export --history`, and its import.
@Suite("grove export --history", .ownThreads, .timeLimit(.minutes(3)))
struct ToolHistoryTests {
    private func fill(_ served: ServedFile) async throws {
        let client = Client(server: served.address)
        let events = (0..<2_100).map { number in
            BatchItem(to: "counter/long", event: ["type": "add", "amount": .integer(number)])
        }
        for begin in stride(from: 0, to: events.count, by: 700) {
            _ = try await client.batch(Array(events[begin..<begin + 700]))
        }
        _ = try await client.send(to: "counter/short", event: "increment", dedup: "k-1")
        _ = try await client.create("counter/empty")
        _ = try await client.send(to: "order/o", event: ["type": "place", "total": 30])
        _ = try await client.stop("order/o", reason: "enough")
        await client.close()
    }

    private func steps(_ name: String, _ served: ServedFile) async throws -> [String] {
        try await Tool.run("history", name, "--all", "--json", server: served.address).lines
            .map { #"{"history":"\#(name)","# + $0.dropFirst() }
    }

    @Test func `each instance's line is followed by its steps, from a server or a file`()
        async throws
    {
        let served = try ServedFile()
        try await fill(served)
        let plain = try await Tool.run("export", server: served.address)
        let whole = try await Tool.run("export", "--history", server: served.address)
        #expect(whole.code == 0 && whole.notes.isEmpty, "\(whole.notes)")
        var expected: [String] = []
        for line in plain.lines {
            let name = try JSONValue(parsing: Array(line.utf8))["to"]?.string ?? ""
            expected += [line] + (try await steps(name, served))
        }
        #expect(whole.lines == expected && expected.count == 4 + 2_102)
        let some = try await Tool.run(
            "export", "--history", "--machine", "counter", "--prefix", "s", server: served.address)
        #expect(
            some.lines.last?.hasPrefix(
                #"{"history":"counter/short","v":1,"event":"increment","outputs":[1],"#) == true)
        #expect(some.lines.count == 2 && some.output.contains(#""dedup":"k-1""#))
        #expect(served.stop() == 0)
        let file = try await Tool.run("export", "--history", "--data", served.data)
        #expect(file.code == 0 && file.output == whole.output)
    }

    @Test func `an import skips steps, and counts them`() async throws {
        let served = try ServedFile()
        try await fill(served)
        let lines = try await Tool.run("export", "--history", server: served.address).output
        let fresh = try ServedFile()
        for made in [4, 0] {
            let json = try await Tool.run(
                "import", "-", "--json", server: fresh.address, input: lines)
            let counts = #""conflicts":0,"broken":0,"history":2102,"dry_run":false}"#
            #expect(json.lines == [#"{"made":\#(made),"present":\#(4 - made),"# + counts])
        }
        let text = try await Tool.run("import", "-", server: fresh.address, input: lines)
        #expect(text.lines.last == "2102  steps of history, passed over", "\(text.output)")
        // An imported instance's history begins with its version, and says so.
        _ = try await Tool.run("send", "counter/long", "increment", server: fresh.address)
        let again = try await Tool.run("export", "--history", server: fresh.address)
        #expect(again.lines.count == 5, "\(again.lines.count)")
        #expect(again.lines.contains { $0.hasPrefix(#"{"history":"counter/long","v":2101,"#) })
        #expect(again.notes.contains("of 3 of 4 instances the first steps aren't held"))
    }

    @Test func `an invalid step is a broken line`() async throws {
        let served = try ServedFile()
        let input = """
            {"to":"counter/a","v":3,"state":{"count":3},"history":"whatever"}
            {"history":"counter","v":1,"event":"increment"}
            {"history":7,"v":1}
            {"history":"counter/a","v":0}
            {"history":"counter/a"}
            {"history":"counter/a","v":3}
            """
        let refused = try await Tool.run("import", "-", server: served.address, input: input)
        #expect(refused.code == 65 && refused.output.isEmpty)
        for line in 2...5 { #expect(refused.notes.contains("line \(line): ")) }
        #expect(refused.notes.contains("4 lines are broken; nothing was changed"))
        let skipped = try await Tool.run(
            "import", "-", "--skip-broken", server: served.address, input: input)
        #expect(
            skipped.lines == [
                "1  made", "4  broken, skipped", "1  steps of history, passed over",
            ])
    }
}
