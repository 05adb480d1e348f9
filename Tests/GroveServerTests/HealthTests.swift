import GroveEngine
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("Health", .timeLimit(.minutes(1)))
    struct HealthTests {
        private let ask = #"{"op":"ping","id":1,"health":true}"#
        private let send = #"{"op":"send","id":2,"to":"counter/c","event":"increment"}"#

        private func health(_ client: RawClient) throws -> JSONObject {
            try #require(try client.ask(ask).json("health")?.object)
        }

        @Test func `a hung disk shows within five seconds, and recovers by itself`()
            async throws
        {
            let faults = TestStore.Faults()
            try await RunningServer.with({ $0.store = TestStore.source(faults) }) { running in
                let client = try running.connect()
                let watcher = try running.connect()
                #expect(try client.ask(send).json("v") == 1)
                #expect(try health(watcher)["ready"] == true)
                // Two pings of the engine, so that its numbers are those after the event.
                try await watcher.poll(#"{"op":"stats","id":3}"#) { stats in
                    try (stats.json("uptime_ms")?.integer ?? 0) > 2_200
                }
                faults.hang()
                defer { faults.goOn() }
                try client.send(send + "\n")
                let begin = Clock.uptime()
                while try health(watcher)["live"] == true { await Task.yield() }
                #expect(Clock.uptime() - begin < 5_000)
                let red = try health(watcher)
                #expect(red["ready"] == false && red["disk_full"] == false)
                #expect((red["stalled_ms"]?.integer ?? 0) >= 3_000)
                // The numbers are there without the engine, its own as it said them last.
                let stats = try watcher.ask(#"{"op":"stats","id":3}"#)
                #expect(try stats.json("commits") == 1, "\(stats)")
                #expect((try stats.json("stalled_ms")?.integer ?? 0) >= 3_000)
                let series = try watcher.ask(#"{"op":"stats","id":4,"series":"1s"}"#)
                let steps = try #require(try series.json("series")?["engine_steps"]?.array)
                #expect(steps.count >= 3 && steps.last == 0, "\(series)")
                faults.goOn()
                #expect(try client.line().json("v") == 2)
                while try health(watcher)["live"] == false { await Task.yield() }
                #expect(try health(watcher)["ready"] == true)
            }
        }

        @Test func `a commit that hangs between fast ones doesn't keep others from their pings`()
            async throws
        {
            let faults = TestStore.Faults()
            try await RunningServer.with({ $0.store = TestStore.source(faults) }) { running in
                let client = try running.connect()
                let watcher = try running.connect()
                // From here on, the engine's thread reads the requests between two commits.
                for _ in 0..<500 { _ = try client.ask(send) }
                faults.hang()
                defer { faults.goOn() }
                try client.send(send + "\n")
                let begin = Clock.uptime()
                for _ in 0..<3 { _ = try health(watcher) }
                #expect(Clock.uptime() - begin < 4_000, "a second, and a margin")
                faults.goOn()
                #expect(try client.line().json("v") == 501)
            }
        }

        @Test func `a server with a full disk is live and not ready`()
            async throws
        {
            let faults = TestStore.Faults()
            try await RunningServer.with({ $0.store = TestStore.source(faults) }) { running in
                let client = try running.connect()
                faults.fail(.full)
                #expect(try client.ask(send).contains("STORAGE_FULL"))
                while try health(client)["ready"] == true { await Task.yield() }
                #expect(try health(client)["live"] == true)
                #expect(try health(client)["disk_full"] == true)
                // The space is checked once a second, and at first there is none.
                try await client.poll(#"{"op":"stats","id":3}"#) { stats in
                    try (stats.json("uptime_ms")?.integer ?? 0) > 2_500
                }
                #expect(try health(client)["ready"] == false)
                faults.fail(nil)
                // No client writes anything.
                while try health(client)["ready"] == false { await Task.yield() }
                #expect(try health(client)["disk_full"] == false)
                #expect(try client.ask(send).json("v") == 1)
            }
        }

        @Test func `a draining server is live and not ready`() async throws {
            let running = try await RunningServer.start()
            let client = try running.connect()
            let io = try #require(await running.server.io)
            await io.drain(milliseconds: 1_000)
            #expect(try client.line().json("op") == "draining")
            let told = try health(client)
            #expect(told["live"] == true && told["ready"] == false && told["draining"] == true)
            client.hangUp()
            try await running.stop()
        }
    }
}
