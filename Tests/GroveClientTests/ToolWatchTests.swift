import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("grove watch and bench", .ownThreads, .timeLimit(.minutes(3)))
struct ToolWatchTests {
    private static func record(_ number: Int) -> String {
        """
        {"sub":"s1","cur":"c\(number)","to":"order/o","v":\(number),"kind":"output",\
        "data":\(number)}
        """
    }

    @Test func `watch follows through a restart, and says so`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                let subscribe = try connection.request("subscribe")
                let select: JSONValue = [
                    "machine": "order", "instance": "o-*", "kind": ["output"], "type": "inv.*",
                ]
                try connection.require(subscribe["select"] == select, "\(subscribe)")
                try connection.reply(subscribe, #""cur":"c0""#)
                try connection.write(ToolWatchTests.record(1))
            },
            { connection in
                try connection.greet()
                let subscribe = try connection.request("subscribe")
                try connection.require(subscribe["from"] == ["after": "c1"], "\(subscribe)")
                try connection.reply(subscribe, #""cur":"c0""#)
                try connection.write(ToolWatchTests.record(2))
                try connection.awaitClose()
            })
        let outcome = try await Tool.run(
            "watch", "order/o-*", "--kind", "output", "--type", "inv.*", "--json", "--count", "2",
            server: server.address)
        let lines = (1...2).map {
            #"{"cur":"c\#($0)","to":"order/o","v":\#($0),"kind":"output","data":\#($0)}"#
        }
        #expect(outcome.code == 0 && outcome.lines == lines)
        #expect(outcome.notes.contains("interrupted: the server closed the connection"))
        #expect(outcome.notes.contains("resumed"))
        #expect(outcome.notes.contains("--from 'c2'"))
        try await server.finish()
    }

    @Test func `watch ends with the reader of its output, also while nothing happens`() async throws
    {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.write(ToolWatchTests.record(1))
            try connection.awaitClose()
        }
        let watch = try ToolProcess(["watch"], server: server.address)
        #expect(watch.line() == "order/o               v1      output 1")
        watch.closeOutput()
        #expect(await watch.end() == 0)
        try await server.finish()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `watch prints a line at once, and a signal is a clean end`(signal: Int32) throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.write(ToolWatchTests.record(1))
            try connection.awaitClose()
        }
        let watch = try ToolProcess(["watch"], server: server.address)
        #expect(watch.line() == "order/o               v1      output 1")
        watch.signal(signal)
        let outcome = watch.outcome()
        #expect(outcome.code == 0 && outcome.notes.contains("--from 'c1'"))
    }

    @Test func `watch prints an event as one line, with its outputs and effects`() async throws {
        let served = try ServedFile()
        for (to, event) in [
            ("order/o", #"{"type":"place","total":30}"#),
            ("order/o", #"{"type":"pay","amount":10}"#), ("turnstile/t", "COIN"),
        ] {
            _ = try await Tool.run("send", to, event, server: served.address)
        }
        _ = try await Tool.run("stop", "turnstile/t", server: served.address)
        let watch = try await Tool.run(
            "watch", "--from", "first", "--count", "6", server: served.address)
        let texts = watch.lines.map { line in
            line.split(separator: " ", maxSplits: 1)[1].split(separator: " ")
                .joined(separator: " ")
                .replacing(/due_ms=[0-9]+/, with: "due_ms=…")
        }
        let placed = #"{"status":"placed","total":30,"paid":0}"#
        let part = #"{"status":"placed","total":30,"paid":10}"#
        #expect(
            texts == [
                "order/o v0 created",
                #"order/o v1 place total=30 -> \#(placed) output "placed" "#
                    + "started #1 after payment due_ms=…",
                #"order/o v2 pay amount=10 -> \#(part) output "#
                    + #"{"type":"payment","paid":10,"due":20}"#,
                "turnstile/t v0 created",
                #"turnstile/t v1 COIN -> "unlocked" output "unlocked""#,
                "turnstile/t v1 stopped",
            ])
        let kinds = try await Tool.run(
            "watch", "order", "--from", "first", "--kind", "state", "--count", "1",
            server: served.address)
        #expect(
            kinds.lines[0].hasSuffix(#"state      null -> {"status":"new","total":0,"paid":0}"#))
    }

    @Test func `a snapshot comes before the events`() async throws {
        let served = try ServedFile()
        _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        let watch = try ToolProcess(
            ["watch", "counter", "--snapshot", "--count", "2"], server: served.address)
        #expect(watch.line()?.hasSuffix(#"snapshot   {"count":1}"#) == true)
        _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        #expect(watch.line()?.hasSuffix(#"v2      increment -> {"count":2}  output 2"#) == true)
        #expect(watch.outcome().code == 0)
    }

    @Test func `unknown machines and states are reported`()
        async throws
    {
        let served = try ServedFile()
        let watch = try ToolProcess(["watch", "countr", "order/*"], server: served.address)
        #expect(
            watch.note() == "warning: the server hosts no machine 'countr'; did you mean 'counter'?"
        )
        watch.signal(SIGINT)
        #expect(watch.outcome().code == 0)
        _ = try await Tool.run("create", "turnstile/t", server: served.address)
        let waited = try await Tool.run(
            "await", "turnstile/t", "--until", "unlockd", "--timeout", "2s",
            server: served.address)
        #expect(waited.code == 1)
        #expect(
            waited.notes.contains("has no state \"unlockd\": one of locked, unlocked"),
            "\(waited.notes)")
    }

    @Test func `a text that is no cursor is reported`() async throws {
        let served = try ServedFile()
        let garbage = try await Tool.run("watch", "--from", "garbage", server: served.address)
        #expect(garbage.code == 1)
        #expect(
            garbage.notes.hasPrefix("error: CURSOR_FOREIGN: the text is no cursor\n"),
            "\(garbage.notes)")
        let other = try await Tool.run(
            "watch", "--from", "AAAAAAAAAAAAAAAAAAAAAA9", server: served.address)
        #expect(other.notes.contains("the cursor is of another data file"), "\(other.notes)")
    }

    @Test func `a foreign cursor ends watch with the server's error`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let subscribe = try connection.request("subscribe")
            try connection.require(subscribe["from"] == ["after": "xyz"], "\(subscribe)")
            try connection.refuse(subscribe, "CURSOR_FOREIGN")
            try connection.awaitClose()
        }
        let outcome = try await Tool.run("watch", "--from", "xyz", server: server.address)
        #expect(outcome.code == 1 && outcome.notes.hasPrefix("error: CURSOR_FOREIGN: no"))
    }

    /// Answers requests of a bench in reverse order, in bursts, refusing every tenth.
    private static func sink(_ connection: FakeConnection, count: Int) throws {
        try connection.write(#"{"op":"hello","server":"grove","proto":[1]}"#)
        for start in stride(from: 0, to: count, by: 4) {
            let requests = try (0..<4).map { _ in try connection.request("send") }
            for (offset, request) in requests.enumerated().reversed() {
                if (start + offset) % 10 == 9 {
                    try connection.refuse(request, "EVENT_REJECTED")
                } else {
                    try connection.reply(request, #""v":\#(start + offset),"cur":"c""#)
                }
            }
        }
        try connection.awaitClose()
    }

    @Test func `bench counts replies and errors of every kind`() async throws {
        let server = try FakeServer(
            { try ToolWatchTests.sink($0, count: 40) }, { try ToolWatchTests.sink($0, count: 40) })
        let outcome = try await Tool.run(
            "bench", "--connections", "2", "--pipeline", "4", "--events", "80", "--json",
            server: server.address)
        #expect(outcome.code == 1, "\(outcome.notes)")
        let report = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(report["sent"] == 80 && report["acked"] == 72)
        #expect(report["errors"] == ["EVENT_REJECTED": 8])
        #expect(report["unknown"] == 0 && report["broken"] == 0)
        for name in ["p50", "p90", "p99", "p99.9", "max"] {
            #expect((report["latency_us"]?[name]?.double ?? 0) > 0, "\(name)")
        }
        try await server.finish()
    }

    @Test func `with a rate, a quick server still gets each event when it is due`() async throws {
        let server = try FakeServer { connection in
            try connection.write(#"{"op":"hello","server":"grove","proto":[1]}"#)
            for version in 1...4 {
                try connection.reply(try connection.request("send"), #""v":\#(version)"#)
            }
            try connection.awaitClose()
        }
        let outcome = try await Tool.run(
            "bench", "--connections", "1", "--rate", "20", "--events", "4", "--json",
            server: server.address)
        #expect(outcome.code == 0, "\(outcome.notes)")
        let report = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(report["acked"] == 4 && report["unsent"] == 0)
        #expect(try #require(report["seconds"]?.double) >= 0.149)
        try await server.finish()
    }

    @Test func `a note says what was due and not sent before the end`() async throws {
        let server = try FakeServer { connection in
            try connection.write(#"{"op":"hello","server":"grove","proto":[1]}"#)
            _ = try connection.request("send")
            try connection.awaitClose()
        }
        let outcome = try await Tool.run(
            "bench", "--connections", "1", "--pipeline", "1", "--rate", "1000",
            "--duration", "500ms", "--timeout", "100ms", "--json", server: server.address)
        #expect(outcome.code == 75 && outcome.notes.contains("were due and not sent"))
        let report = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(report["acked"] == 0 && report["unknown"] == 1 && report["rate"] == 1000)
        #expect((1...500).contains(try #require(report["unsent"]?.integer)))
        try await server.finish()
    }

    @Test func `bench reports a broken connection, with its figures`() async throws {
        let server = try FakeServer { connection in
            try connection.write(#"{"op":"hello","server":"grove","proto":[1]}"#)
            try connection.reply(try connection.request("send"), #""v":1"#)
            for _ in 0..<3 { _ = try connection.request("send") }
        }
        let outcome = try await Tool.run(
            "bench", "--connections", "1", "--pipeline", "3", "--events", "50", "--json",
            server: server.address)
        #expect(outcome.code == 75)
        #expect(outcome.notes.contains("connection 0: the server closed the connection"))
        let report = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(report["acked"] == 1 && report["unknown"] == 3 && report["broken"] == 1)
    }

    @Test func `bench repeats after a reconnect, and records what was acknowledged`()
        async throws
    {
        let path = NSTemporaryDirectory() + "grove-acks-\(UUID().uuidString).jsonl"
        // A failed removal is left to the system's cleaning.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try FakeServer(
            { connection in
                let first = try connection.request("send")
                try connection.require(first["to"]?.string?.hasPrefix("c/i-") == true, "\(first)")
                try connection.reply(first, #""v":1"#)
                _ = try connection.request("send")
                // The third has no reply when the connection ends within a reply.
                let third = try connection.request("send")
                try connection.write(bytes: #"{"id":\#(third["id"] ?? 0),"ok":true"#.utf8)
            },
            { connection in
                for number in 2...4 {
                    let request = try connection.request("send")
                    let dup = number == 3 ? #","dup":true"# : ""
                    try connection.reply(request, #""v":\#(number),"cur":"x"\#(dup)"#)
                }
                try connection.awaitClose()
            })
        let outcome = try await Tool.run(
            "bench", "--connections", "1", "--pipeline", "2", "--events", "4", "--machine", "c",
            "--prefix", "i-", "--instances", "1", "--event", #"{"type":"x"}"#, "--dedup",
            "--reconnect", "--record", path, "--json", "--server",
            server.address.description)
        #expect(outcome.code == 0, "\(outcome.notes)")
        let report = try JSONValue(parsing: Array(outcome.output.utf8))
        #expect(report["acked"] == 4 && report["duplicates"] == 1 && report["reconnects"] == 1)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let records = try lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(records.map { $0["v"]?.integer } == [1, 2, 3, 4])
        #expect(records.allSatisfy { $0["to"] == "c/i-0000000" })
        #expect(Set(records.compactMap { $0["dedup"]?.string }).count == 4)
        #expect(records[2]["dup"] == true)
        try await server.finish()
    }

    @Test func `bench without a server is 69`() async throws {
        let outcome = try await Tool.run("bench", server: .unix(path: "/nonexistent"))
        #expect(outcome.code == 69 && outcome.notes.contains("UNREACHABLE"))
    }
}
