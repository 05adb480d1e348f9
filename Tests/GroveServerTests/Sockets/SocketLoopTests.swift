import Glibc
import GroveNetwork
import GroveProtocol
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("SocketLoop", .timeLimit(.minutes(1)))
    struct SocketLoopTests {
        static let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#

        private func expectConnections(_ count: Int64, _ client: RawClient) async throws {
            try await client.poll(#"{"op":"stats","id":1}"#) {
                try $0.json("connections") == .integer(count)
            }
        }

        @Test func `bytes that come one by one are lines too`() async throws {
            try await RunningServer.with { running in
                let client = try running.connect()
                for byte in Array((Self.send + "\r\n").utf8) { try client.send([byte]) }
                #expect(try client.line().json("v") == 1)
            }
        }

        @Test func `a client may vanish at any byte; a line without its end is never executed`()
            async throws
        {
            try await RunningServer.with { running in
                let bytes = Array((Self.send + "\n").utf8)
                for cut in 0..<bytes.count {
                    let client = try RawClient(running.address, readsGreeting: cut % 3 == 0)
                    try client.send(Array(bytes[..<cut]))
                    if cut % 2 == 0 { client.hangUp() } else { client.reset() }
                }
                let client = try running.connect()
                try await expectConnections(1, client)
                #expect(try client.ask(Self.send).json("v") == 1)
            }
        }

        @Test func `a client that vanishes with everything outstanding leaves nothing`()
            async throws
        {
            try await RunningServer.with { running in
                for round in 0..<20 {
                    let client = try running.connect()
                    try client.send(#"{"op":"subscribe","id":1,"sub":"s"}"# + "\n")
                    try client.send(String(repeating: Self.send + "\n", count: 500))
                    if round % 2 == 0 { client.hangUp() } else { client.reset() }
                }
                let client = try running.connect()
                try await expectConnections(1, client)
                try await client.poll(#"{"op":"stats","id":1}"#) {
                    try $0.json("subscriptions") == 0
                }
            }
        }

        @Test func `a client that closes before its replies are sent is removed at once`()
            async throws
        {
            try await RunningServer.with { running in
                for _ in 0..<60 {
                    let client = try running.connect()
                    for _ in 0..<3 {
                        try client.send(String(repeating: Self.send + "\n", count: 20))
                        usleep(500)
                    }
                    client.hangUp()
                }
                let client = try running.connect()
                try await expectConnections(1, client)
            }
        }

        /// Input that costs the server almost nothing: empty lines, and lines that are far too
        /// long. It creates no waiting requests.
        enum Flood: CaseIterable {
            case emptyLines, skippedLines

            var bytes: [UInt8] {
                switch self {
                case .emptyLines: [UInt8](repeating: 10, count: 1 << 20)
                case .skippedLines: [UInt8](repeating: 120, count: 15 << 20) + [10]
                }
            }
        }

        @Test(arguments: Flood.allCases)
        func `a connection with endless bytes is read in turns`(
            kind: Flood
        ) async throws {
            try await RunningServer.with { running in
                let flooding = try running.connect()
                let fd = flooding.fd
                let flood = Task.detached {
                    let bytes = kind.bytes
                    // Sends until the client hangs up.
                    while (try? RawClient.send(bytes, to: fd)) != nil {}
                }
                let other = try running.connect()
                var before: Int64 = 0
                var largest: Int64 = 0
                for round in 0..<150 {
                    let reply = try other.ask(#"{"op":"stats","id":1}"#)
                    let bytes = try #require(try reply.json("bytes_in")?.integer)
                    if round > 100 { largest = max(largest, bytes - before) }
                    before = bytes
                }
                // Between two requests of another client the server reads for a few turns. If each
                // turn caused one more, it would read a hundred megabytes.
                #expect(largest < 16 << 20, "\(largest)")
                shutdown(fd, Int32(SHUT_RDWR))
                await flood.value
            }
        }

        @Test func `the kernel waits longer for a client than the server does`() async throws {
            var limits = ServerLimits()
            #expect(SocketLoop.silenceMilliseconds(limits) == 100_000)
            limits.slowConsumerMilliseconds = 300_000
            #expect(SocketLoop.silenceMilliseconds(limits) == 310_000)
            try await RunningServer.with({ $0.limits.heartbeatMilliseconds = 2_000 }) { running in
                let client = try running.connect()
                let milliseconds = await running.server.io?.userTimeout()
                #expect(milliseconds == 40_000)
                client.hangUp()
            }
        }

        @Test func `replies still come after a half-close`() async throws {
            try await RunningServer.with { running in
                let client = try running.connect()
                try client.send(String(repeating: Self.send + "\n", count: 100) + #"{"op":"se"#)
                client.shutdownWrite()
                for version in 1...100 {
                    #expect(try client.line().json("v") == .integer(Int64(version)))
                }
                #expect(try client.lineOrEnd() == nil)
            }
        }

        @Test func `a client that doesn't read is not read; others are served; nothing is lost`()
            async throws
        {
            try await RunningServer.with({ $0.limits.pendingBytesMax = 65_536 }) { running in
                let slow = try running.connect()
                let echo = String(repeating: "x", count: 1_000)
                let count = 20_000
                let fd = slow.fd
                let sender = Task {
                    for id in 0..<count {
                        try RawClient.send(
                            Array((#"{"op":"ping","id":\#(id),"t":"\#(echo)"}"# + "\n").utf8),
                            to: fd)
                    }
                }
                let other = try running.connect()
                for version in 1...200 {
                    #expect(try other.ask(Self.send).json("v") == .integer(Int64(version)))
                }
                for id in 0..<count {
                    try #require(try slow.line().json("id") == .integer(Int64(id)))
                }
                try await sender.value
            }
        }

        @Test func `a client that stays full is closed as a slow consumer`() async throws {
            try await RunningServer.with({
                $0.limits.pendingBytesMax = 65_536
                $0.limits.slowConsumerMilliseconds = 100
            }) { running in
                let slow = try running.connect()
                let echo = String(repeating: "x", count: 100_000)
                // Enough to fill all buffers on the way, and more. The connection may end before
                // all is sent.
                let fd = slow.fd
                let sender = Task {
                    for id in 0..<400 {
                        try RawClient.send(
                            Array((#"{"op":"ping","id":\#(id),"t":"\#(echo)"}"# + "\n").utf8),
                            to: fd)
                    }
                }
                let other = try running.connect()
                try await expectConnections(1, other)
                _ = await sender.result
            }
        }

        @Test func `past the limit of connections a client gets one error line`() async throws {
            try await RunningServer.with({ $0.limits.connectionsMax = 2 }) { running in
                let clients = [try running.connect(), try running.connect()]
                let third = try RawClient(running.address, readsGreeting: false)
                #expect(try third.line().contains(#""code":"OVERLOADED""#))
                #expect(try third.lineOrEnd() == nil)
                #expect(try clients[0].ask(Self.send).json("ok") == true)
                clients[1].hangUp()
                try await expectConnections(1, clients[0])
                let fourth = try running.connect()
                #expect(try fourth.ask(Self.send).json("ok") == true)
            }
        }

        @Test func `without descriptors new clients are rejected and the others served`() async {
            await #expect(processExitsWith: .exitCode(0)) {
                let running = try await RunningServer.start()
                let client = try running.connect()
                // Enough for the client's end of some connections, and for the server's end of
                // fewer.
                var limit = rlimit(rlim_cur: 60, rlim_max: 60)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                var others: [RawClient] = []
                while true {
                    do {
                        others.append(try RawClient(running.address, readsGreeting: false))
                    } catch {
                        break
                    }
                }
                #expect(others.count > 10)
                #expect(try client.ask(Self.send).json("ok") == true)
                others.removeAll()
                while try client.ask(#"{"op":"stats","id":1}"#).json("connections") != 1 {
                    await Task.yield()
                }
                let late = try running.connect()
                #expect(try late.ask(Self.send).json("v") == 2)
                exit(0)
            }
        }

        @Test func `a wait that begins after its deadline does not wait`() async throws {
            try await RunningServer.with { running in
                let client = try running.connect()
                let io = try #require(await running.server.io)
                await io.stopWaiting()
                await io.waitUntilIdle()
                #expect(try client.ask(#"{"op":"ping","id":1}"#).json("ok") == true)
            }
        }

        @Test func `a line of 16 MiB ends the connection`() async throws {
            try await RunningServer.with { running in
                let client = try running.connect()
                let chunk = [UInt8](repeating: 0x78, count: 1 << 20)
                // The connection may end while this client is still sending.
                for _ in 0..<17 { try? client.send(chunk) }
                #expect(try client.line().contains(#""code":"LINE_TOO_LONG""#))
                #expect(try client.lineOrEnd() == nil)
            }
        }

        @Test func `a hundred clients at once are all served`() async throws {
            try await RunningServer.with { running in
                let clients = try (0..<100).map { _ in try running.connect() }
                for _ in 0..<5 {
                    for client in clients { try client.send(Self.send + "\n") }
                    for client in clients { #expect(try client.line().json("ok") == true) }
                }
                #expect(
                    try clients[0].ask(#"{"op":"get","id":1,"to":"counter/c"}"#).json("v") == 500)
            }
        }
    }
}

extension SocketLoop {
    /// Returns the kernel's timeout setting for the first connection.
    fileprivate func userTimeout() -> Int32? {
        guard let fd = connections.values.first?.socket.fd else { return nil }
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(fd, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, &length)
        return value
    }
}
