import Glibc
import GroveNetwork
import GroveProtocol
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("Limits that connections share", .timeLimit(.minutes(1)))
    struct SharedLimitTests {
        static let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#

        @Test func `past the limit of its address a client gets one error line`() async throws {
            let path = "/tmp/grove-limit-\(getpid()).sock"
            try await RunningServer.with({
                $0.limits.connectionsPerPeerMax = 2
                $0.listen = [.loopbackV4(port: 0), .loopbackV6(port: 0), .unix(path: path)]
            }) { running in
                let clients = [try running.connect(), try running.connect()]
                let third = try RawClient(running.address, readsGreeting: false)
                let refusal = try third.line()
                #expect(try refusal.json("error")?["code"] == "OVERLOADED")
                #expect(try refusal.json("error")?["retry"] == true)
                #expect(refusal.contains("your address has as many connections as it may"))
                #expect(try third.lineOrEnd() == nil)
                // Other addresses have their own limit, and Unix sockets have none.
                let local = try (0..<4).map { _ in try RawClient(.unix(path: path)) }
                let other = try RawClient(.loopbackV6(port: running.address.port))
                #expect(try other.ask(Self.send).json("ok") == true)
                #expect(try local[3].ask(Self.send).json("ok") == true)
                clients[1].hangUp()
                try await clients[0].poll(#"{"op":"stats","id":1}"#) {
                    try $0.json("connections") == 6
                }
                let fourth = try running.connect()
                #expect(try fourth.ask(Self.send).json("ok") == true)
            }
        }

        /// Sends until the socket accepts no more. Between the sends it lets the server work.
        private func flood(_ bytes: [UInt8], from client: RawClient, beside good: RawClient) throws
        {
            _ = fcntl(client.fd, F_SETFL, O_NONBLOCK)
            var rest = bytes[...]
            var refusals = 0
            while !rest.isEmpty, refusals < 20 {
                let count = rest.withUnsafeBytes {
                    Glibc.send(client.fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count > 0 {
                    rest = rest.dropFirst(count)
                    refusals = 0
                } else {
                    refusals += 1
                }
                #expect(try good.ask(Self.send).json("ok") == true)
            }
        }

        @Test func `a line in a shortage of others continues when they have gone`()
            async throws
        {
            let path = "/tmp/grove-half-\(getpid()).sock"
            try await RunningServer.with({
                $0.limits.bufferBytesMax = 1 << 20
                $0.limits.lineMilliseconds = 2_000
                $0.listen = [.unix(path: path)]
            }) { running in
                let good = try running.connect()
                func statistic(_ name: String) throws -> Int64 {
                    let reply = try good.ask(#"{"op":"stats","id":1}"#)
                    return try #require(try reply.json(name)?.integer)
                }
                // This client reads next to nothing, so the server's memory gets short.
                let bad = try running.connect()
                let echo = String(repeating: "x", count: 1_000)
                let ping = #"{"op":"ping","id":1,"t":"\#(echo)"}"# + "\n"
                try flood(
                    Array(String(repeating: ping, count: 1_200).utf8), from: bad, beside: good)
                #expect(try statistic("buffer_bytes") >= 1 << 19)
                // More than a share, but too little to cause a shortage alone.
                let patient = try running.connect()
                let text = String(repeating: "y", count: 240_000)
                let line = Array((#"{"op":"ping","id":2,"t":"\#(text)"}"# + "\n").utf8)
                try patient.send(Array(line[..<200_000]))
                let begin = try statistic("uptime_ms")
                while try statistic("uptime_ms") < begin + 4_500 {
                    _ = try bad.bytes(40_000)
                    try await Task.sleep(for: .milliseconds(250))
                }
                #expect(try statistic("connections") == 3, "its time would have been over")
                bad.hangUp()
                try patient.send(Array(line[200_000...]))
                #expect(try patient.line().json("t")?.string == text)
            }
        }

        @Test func `clients that don't read share a bound; others aren't affected`()
            async throws
        {
            let path = "/tmp/grove-buffers-\(getpid()).sock"
            try await RunningServer.with({
                $0.limits.bufferBytesMax = 4 << 20
                // Unix sockets have small buffers in the kernel.
                $0.listen = [.unix(path: path)]
            }) { running in
                let good = try running.connect()
                _ = try good.ask(#"{"op":"subscribe","id":1,"sub":"s"}"#)
                #expect(try good.line().json("mark") == "live")
                _ = try good.ask(#"{"op":"unsubscribe","id":1,"sub":"s"}"#)
                let echo = String(repeating: "x", count: 1_000)
                let line = #"{"op":"ping","id":1,"t":"\#(echo)"}"# + "\n"
                let lines = Array(String(repeating: line, count: 1_000).utf8)
                var bad: [RawClient] = []
                for _ in 0..<6 {
                    let client = try running.connect()
                    try flood(lines, from: client, beside: good)
                    bad.append(client)
                }
                let subscribed = try good.ask(#"{"op":"subscribe","id":1,"sub":"t"}"#)
                #expect(try subscribed.json("ok") == true)
                #expect(try good.line().json("mark") == "live")
                let statistics = try good.ask(#"{"op":"stats","id":1}"#)
                let held = try #require(try statistics.json("buffer_bytes")?.integer)
                #expect(held >= 1 << 20 && held <= 4 << 20, "\(held)")
                for client in bad { client.hangUp() }
            }
        }

        @Test func `a client that asks for more than it reads waits alone`() async throws {
            let path = "/tmp/grove-window-\(getpid()).sock"
            try await RunningServer.with({
                $0.limits.pendingBytesMax = 1 << 20
                $0.listen = [.unix(path: path)]
            }) { running in
                let good = try running.connect()
                let track = String(repeating: "x", count: 200_000)
                let pack = #"{"type":"pack","track":"\#(track)"}"#
                let sent = try good.ask(
                    #"{"op":"send","id":1,"to":"shipment/s","event":\#(pack)}"#)
                #expect(try sent.json("ok") == true)
                let slow = try running.connect()
                let gets = (1...200).map { #"{"op":"get","id":\#($0),"to":"shipment/s"}"# + "\n" }
                try slow.send(gets.joined())
                var most: Int64 = 0
                for _ in 0..<50 {
                    let reply = try good.ask(#"{"op":"stats","id":1}"#)
                    most = max(most, try #require(try reply.json("buffer_bytes")?.integer))
                    #expect(
                        try good.ask(#"{"op":"get","id":2,"to":"counter/none"}"#)
                            .json("error")?["code"] == "NO_SUCH_INSTANCE")
                }
                // The window, plus the most that one commit may add.
                #expect(most > 200_000 && most < 2 << 20, "\(most)")
                for id in 1...200 { #expect(try slow.line().json("id")?.integer == Int64(id)) }
            }
        }

        @Test func `unread large replies stay within max-buffers`() async throws {
            let path = "/tmp/grove-replies-\(getpid()).sock"
            let log = KeptLog()
            try await RunningServer.with(
                {
                    $0.limits.bufferBytesMax = 4 << 20
                    $0.listen = [.unix(path: path)]
                }, log: log.logger()
            ) { running in
                let good = try running.connect()
                let items = (0..<1_000).map {
                    #"{"to":"counter/c\#($0)","event":"increment"}"#
                }.joined(separator: ",")
                #expect(try good.ask(#"{"op":"batch","id":1,"items":[\#(items)]}"#).contains("ok"))
                let page = #"{"op":"list","id":1,"limit":1000}"# + "\n"
                var deaf: [RawClient] = []
                var most: Int64 = 0
                for _ in 0..<60 {
                    let client = try running.connect()
                    try client.send(String(repeating: page, count: 16))
                    deaf.append(client)
                    for _ in 0..<5 {
                        let reply = try good.ask(#"{"op":"stats","id":1}"#)
                        most = max(most, try #require(try reply.json("buffer_bytes")?.integer))
                        let got = try good.ask(#"{"op":"get","id":2,"to":"counter/c1"}"#)
                        #expect(try got.json("ok") == true, "others have their turn")
                    }
                }
                #expect(most > 2 << 20 && most <= 4 << 20, "\(most)")
                #expect(log.lines(with: "those that held most were closed").count >= 1)
                for client in deaf { client.hangUp() }
                try await good.poll(#"{"op":"stats","id":1}"#) {
                    try $0.json("buffer_bytes") == 0
                }
            }
        }
    }
}
