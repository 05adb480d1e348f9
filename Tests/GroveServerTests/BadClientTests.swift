import Glibc
import GroveNetwork
import GroveProtocol
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    /// Checks with fewer connections what Benchmarks/connections/run measures with ten thousand.
    @Suite("Clients that behave badly", .timeLimit(.minutes(2)))
    struct BadClientTests {
        private static let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#
        private static let stats = #"{"op":"stats","id":1}"#

        /// Checks that a good client's events are applied, and that no other client's are.
        private func expectUndisturbed(
            _ good: RawClient, from version: Int64, count: Int64
        ) throws {
            for next in version..<(version + count) {
                try #require(try good.ask(Self.send).json("v") == .integer(next))
            }
        }

        private func expectAlone(_ good: RawClient) async throws {
            while try good.ask(Self.stats).json("connections") != 1 { await Task.yield() }
        }

        @Test func `five hundred idle connections hold no buffers and disturb nobody`()
            async throws
        {
            try await RunningServer.with { running in
                let idle = try (0..<500).map { _ in try running.connect() }
                let good = try running.connect()
                try expectUndisturbed(good, from: 1, count: 50)
                let stats = try good.ask(Self.stats)
                #expect(try stats.json("connections") == 501)
                #expect(try stats.json("buffer_bytes") == 0)
                for client in idle.prefix(250) { client.hangUp() }
                for client in idle.suffix(250) { client.reset() }
                try await expectAlone(good)
            }
        }

        @Test func `a client that sends byte by byte is closed when its line takes too long`()
            async throws
        {
            try await RunningServer.with({ $0.limits.lineMilliseconds = 300 }) { running in
                let slow = try running.connect()
                let good = try running.connect()
                var version: Int64 = 1
                // Sends one byte between two events of the other client, until the server closes.
                while true {
                    do { try slow.send("x") } catch { break }
                    try expectUndisturbed(good, from: version, count: 1)
                    version += 1
                }
                #expect(version > 10)
                try await expectAlone(good)
            }
        }

        @Test func `a subscriber that never reads loses nothing and costs no more`()
            async throws
        {
            let path = "/tmp/grove-deaf-\(getpid()).sock"
            try await RunningServer.with({
                $0.limits.pendingBytesMax = 65_536
                $0.listen = [.unix(path: path)]
            }) { running in
                let deaf = try running.connect()
                _ = try deaf.ask(
                    #"{"op":"subscribe","id":1,"sub":"s","select":{"kind":["output"]}}"#)
                #expect(try deaf.line().json("mark") == "live")
                try deaf.send(String(repeating: #"{"op":"definitions","id":2}"# + "\n", count: 500))
                let good = try running.connect()
                let count: Int64 = 3_000
                try expectUndisturbed(good, from: 1, count: count)
                let held = try #require(try good.ask(Self.stats).json("buffer_bytes")?.integer)
                #expect(held <= 2 * 65_536)
                // When the client reads at last, it gets every reply, and every record once.
                var (replies, records) = (0, Int64(0))
                while replies < 500 || records < count {
                    let line = try deaf.line()
                    if try line.json("id") == 2 { replies += 1 }
                    if try line.json("kind") == "output" {
                        records += 1
                        try #require(try line.json("v") == .integer(records))
                    }
                }
            }
        }

        @Test func `clients that vanish leave nothing behind`()
            async throws
        {
            try await RunningServer.with { running in
                let good = try running.connect()
                for round: Int64 in 0..<20 {
                    let client = try running.connect()
                    try client.send(#"{"op":"subscribe","id":1,"sub":"s"}"# + "\n" + Self.send)
                    client.reset()
                    try expectUndisturbed(good, from: round * 5 + 1, count: 5)
                }
                try await expectAlone(good)
                while try good.ask(Self.stats).json("subscriptions") != 0 { await Task.yield() }
            }
        }

        @Test func `what a client begins as it vanishes ends with it`() async throws {
            try await RunningServer.with { running in
                let good = try running.connect()
                #expect(try good.ask(#"{"op":"create","id":1,"to":"counter/w"}"#).contains("ok"))
                // A reply that the engine doesn't give shows the end while requests still wait.
                let begins = (0..<20).map {
                    #"{"op":"subscribe","id":\#($0),"sub":"s\#($0)"}"# + "\n"
                        + #"{"op":"await","id":\#($0 + 20),"to":"counter/w","until":"done"}"# + "\n"
                }
                for _ in 0..<150 {
                    let client = try running.connect()
                    try client.send(begins.joined() + #"{"op":"ping","id":"p"}"# + "\n")
                    client.reset()
                }
                try await expectAlone(good)
                while try good.ask(Self.stats).json("subscriptions") != 0 { await Task.yield() }
                while try good.ask(Self.stats).json("requests_waiting") != 0 { await Task.yield() }
            }
        }
    }
}
