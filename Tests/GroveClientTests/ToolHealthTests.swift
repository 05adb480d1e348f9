import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("grove health and grove stats", .ownThreads, .timeLimit(.minutes(3)))
struct ToolHealthTests {
    /// A server that gives every client this health.
    private func server(_ health: String) throws -> FakeServer {
        try FakeServer { connection in
            try connection.greet()
            let ping = try connection.request("ping")
            try connection.require(ping["health"] == true, "\(ping)")
            try connection.reply(ping, #""time":"t","health":{\#(health)}"#)
        }
    }

    @Test func `a healthy server is 0`() async throws {
        let served = try ServedFile()
        let outcome = try await Tool.run("health", server: served.address)
        #expect(outcome.code == 0 && outcome.output == "ready\n")
        let json = try await Tool.run("health", "--live", "--json", server: served.address)
        let told = try JSONValue(parsing: Array(json.output.utf8))
        #expect(told["live"] == true && told["ready"] == true && json.code == 0)
        let client = Client(options: ClientOptions(server: served.address))
        let health: Health = try await client.health()
        #expect(health.isLive && health.isReady && !health.isDraining && !health.isDiskFull)
    }

    @Test(
        arguments: [
            (
                #""live":false,"ready":false,"draining":false,"disk_full":false,"stalled_ms":3412"#,
                "not live: no commit has come back for 3412 ms\n", 1
            ),
            (
                #""live":true,"ready":false,"draining":true,"disk_full":true,"stalled_ms":0"#,
                "live, not ready: the disk is full, it is shutting down\n", 0
            ),
        ] as [(String, String, Int32)])
    func `an unhealthy server is 1, with the reason`(
        health: String, text: String, liveCode: Int32
    ) async throws {
        let servers = [try server(health), try server(health)]
        let ready = try await Tool.run("health", server: servers[0].address)
        #expect(ready.code == 1 && ready.output == text)
        let live = try await Tool.run("health", "--live", server: servers[1].address)
        #expect(live.code == liveCode && live.output == text)
        for server in servers { try await server.finish() }
    }

    @Test func `no server is 69, a silent one 1, an old one 70`()
        async throws
    {
        let nobody = try await Tool.run("health", server: .unix(path: "/nonexistent"))
        #expect(nobody.code == 69 && nobody.output.isEmpty)
        let silent = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("ping")
            try connection.awaitClose()
        }
        let outcome = try await Tool.run(
            "health", "--timeout", "2s", server: silent.address)
        #expect(outcome.code == 1)
        let old = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("ping"), #""time":"t""#)
        }
        let aged = try await Tool.run("health", server: old.address)
        #expect(aged.code == 70 && aged.notes.contains("too old"))
    }

    @Test func `stats are lines, JSON, or what Prometheus reads`() async throws {
        let served = try ServedFile()
        _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        let plain = try await Tool.run("stats", "--all", server: served.address)
        #expect(plain.lines.contains { $0.hasPrefix("requests.send") && $0.hasSuffix(" 1") })
        let text = try await Tool.run("stats", "--prometheus", server: served.address)
        #expect(text.lines.contains("# TYPE grove_ack_seconds histogram"))
        #expect(text.lines.contains(#"grove_requests_total{op="send"} 1"#))
        #expect(text.lines.contains { $0.hasPrefix(#"grove_info{version="0.1.0",node="grove-"#) })
        #expect(text.output.hasSuffix("\n") && !text.output.hasSuffix("\n\n"))
        let both = try await Tool.run("stats", "--prometheus", "--json", server: served.address)
        #expect(both.code == 64)
    }

    @Test func `a series is a row for each point, from before anybody looked`() async throws {
        let served = try ServedFile()
        var rows = try await Tool.run("stats", "--series", "1s", server: served.address)
        for _ in 0..<600 where rows.lines.count < 2 {
            try await Task.sleep(for: .milliseconds(50))
            rows = try await Tool.run("stats", "--series", "1s", server: served.address)
        }
        let row = /^[:0-9]{8}\.[0-9]{3}\s+[.0-9]+\s/
        #expect(rows.lines.count >= 2 && rows.lines.allSatisfy { $0.contains(row) }, "\(rows)")
        let json = try await Tool.run("stats", "--series", "10s", "--json", server: served.address)
        #expect(json.output.hasPrefix(#"{"every_ms":10000,"until":""#), "\(json)")
        for flags in [["1s", "--all"], ["1s", "--prometheus"], ["1m"]] {
            let refused = try await Tool.run(["stats", "--series"] + flags, server: served.address)
            #expect(refused.code == 64, "\(flags)")
        }
    }

    /// Answers `stats` twice, a second and 1,000 acknowledged events apart.
    private static func answer(_ connection: FakeConnection, times: Int = 2) throws {
        try connection.greet()
        for number in 0..<times {
            let stats = try connection.request("stats")
            let count = number * 1000
            try connection.reply(
                stats,
                """
                "uptime_ms":\(5000 + number),"ack_us.count":\(count),"ack_us.le_1000":\(count / 2),\
                "ack_us.le_5000":\(count),"commits":7,"instances":1234567,\
                "requests":\(count),"requests.send":\(count),"errors":0
                """)
        }
        try connection.awaitClose()
    }

    private func words(_ outcome: Tool.Outcome, _ name: String) -> [Substring] {
        outcome.lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ") ?? []
    }

    @Test func `stats asks twice, and shows rates and percentiles of the time between`()
        async throws
    {
        let server = try FakeServer { try Self.answer($0) }
        let outcome = try await Tool.run("stats", "--interval", "500ms", server: server.address)
        #expect(outcome.code == 0, "\(outcome.notes)")
        let events = words(outcome, "events")
        try #require(events.count > 2)
        let rate = Int(events[1].replacing("/s", with: "").replacing(",", with: "")) ?? 0
        // The events of half a second, or more where the machine is slow.
        #expect((100...2_000).contains(rate), "\(outcome.output)")
        #expect(events.contains("p50") && events.contains("p99"), "\(outcome.output)")
        let text = events.joined(separator: " ")
        #expect(text.hasSuffix("in p50 1 ms p90 4.2 ms p99 4.9 ms"), "\(text)")
        #expect(words(outcome, "instances").prefix(2) == ["instances", "1,234,567"])
        #expect(words(outcome, "requests").contains("send"))
    }

    @Test func `top writes a line each time without a screen`() async throws {
        let server = try FakeServer({ try Self.answer($0, times: 3) }, { try Self.answer($0) })
        let lines = try await Tool.run(
            "top", "--interval", "100ms", "--count", "2", server: server.address)
        #expect(lines.code == 0 && lines.lines.count == 2, "\(lines.notes)")
        for line in lines.lines {
            let begin = /^[-0-9]{10}T[:0-9]{8}\.[0-9]{3}Z\s\sevents/
            #expect(line.contains(begin) && line.contains("ack p50 1 ms"), "\(line)")
        }
        let json = try await Tool.run(
            "top", "--interval", "100ms", "--count", "1", "--json", server: server.address)
        let object = try JSONValue(parsing: Array(json.output.utf8))
        #expect(object["ack_us"] == ["p50": 1000, "p90": 4200, "p99": 4920], "\(object)")
        #expect((object["events_per_second"]?.double ?? 0) > 10)
    }

    @Test func `top waits for a server that restarts`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("stats"), #""uptime_ms":1"#)
            },
            { _ in }, { try Self.answer($0) })
        let outcome = try await Tool.run(
            "top", "--interval", "50ms", "--count", "1", server: server.address)
        #expect(outcome.code == 0 && outcome.lines.count == 1, "\(outcome.output)")
        #expect(outcome.notes.contains("away: "), "\(outcome.notes)")
        let gone = try await Tool.run("top", server: .unix(path: "/nonexistent"))
        #expect(gone.code == 69)
    }

    @Test func `top uses the whole terminal, and restores it`() throws {
        let server = try FakeServer { try Self.answer($0) }
        let shown = try Terminal.run(
            ["top", "--interval", "50ms", "--count", "1"], server: server.address)
        let escape = "\u{1B}["
        #expect(shown.hasPrefix("\(escape)?1049h\(escape)?25l"), "\(shown.debugDescription)")
        #expect(shown.hasSuffix("\(escape)?25h\(escape)?1049l"), "\(shown.debugDescription)")
        #expect(shown.contains("grove top") && shown.contains("instances    1,234,567"))
    }

    @Test func `a Unix socket is an address`() async throws {
        let path = "/tmp/grove-tool-\(UInt32.random(in: 0 ... .max)).sock"
        let process = try ToolProcess([
            "serve", "--listen", "unix:\(path)", "--data", ":memory:",
        ])
        #expect(process.line() == "listening unix:\(path) data=memory")
        let sent = try await Tool.run(
            "send", "counter/a", "increment", server: .unix(path: path))
        #expect(sent.code == 0 && sent.output.hasPrefix("counter/a v1"))
        process.signal(15)
        #expect(process.outcome().code == 0)
        let gone = try await Tool.run("health", server: .unix(path: path))
        #expect(gone.code == 69)
    }
}
