import Foundation
import Glibc
import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("Addresses with TLS", .timeLimit(.minutes(2)))
    struct TLSListenerTests {
        static let send = #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#

        /// Asks for the numbers of a server until one has a value.
        private func wait(
            _ client: LineClient, until name: String, is value: JSONValue
        ) async throws {
            while try client.ask(#"{"op":"stats","id":1}"#).json(name) != value {
                await Task.yield()
            }
        }

        @Test func `a client talks as in plaintext`() async throws {
            let log = KeptLog()
            try await TLSServing.with(log) { running in
                let client = try LineClient(
                    port: running.address.port, tls: TLSServing.client(), readsGreeting: false)
                #expect(try client.readLine().json("op") == "hello")
                #expect(client.version == "TLSv1.3")
                #expect(try client.ask(Self.send).json("ok") == true)
                let stats = try client.ask(#"{"op":"stats","id":1}"#)
                #expect(try stats.json("tls_handshakes") == 1)
                #expect(try stats.json("tls_handshakes_failed") == 0)
                #expect(try stats.json("tls_handshakes_waiting") == 0)
                let left = try #require(try stats.json("tls_certificate_expires_s")?.integer)
                #expect((364 * 86_400...365 * 86_400).contains(left))
                #expect(log.lines(with: "tls:127.0.0.1:").count == 1)
            }
        }

        @Test func `a half-closed client gets its replies, and then the end of TLS`()
            async throws
        {
            try await TLSServing.with { running in
                let client = try TLSServing.connect(running)
                for _ in 0..<100 { try client.send(Self.send) }
                client.shutdownWrite()
                var replies = 0
                while try client.readLineIfAny() != nil { replies += 1 }
                #expect(replies == 100)
                #expect(!client.wasCutOff)
            }
        }

        @Test func `large replies pass, though 64 KiB of them are encrypted at a time`()
            async throws
        {
            try await TLSServing.with { running in
                let client = try TLSServing.connect(running)
                let echo = String(repeating: "x", count: 500_000)
                for _ in 0..<10 { try client.send(#"{"op":"ping","id":1,"t":"\#(echo)"}"#) }
                for _ in 0..<10 {
                    #expect(try client.readLine().utf8.count > 500_000)
                }
            }
        }

        @Test func `a client that reads late gets everything, and holds what is bounded`()
            async throws
        {
            try await TLSServing.with(KeptLog(), { $0.limits.pendingBytesMax = 256 << 10 }) {
                running in
                let good = try TLSServing.connect(running)
                let late = try TLSServing.connect(running)
                let requests = String(
                    repeating: #"{"op":"definitions","id":1}"# + "\n", count: 2_000)
                try late.send(bytes: Array(requests.utf8))
                var most: Int64 = 0
                for _ in 0..<200 {
                    let stats = try good.ask(#"{"op":"stats","id":1}"#)
                    most = max(most, try stats.json("buffer_bytes")?.integer ?? 0)
                }
                // max-pending, a window of replies, and 80 KiB of ciphertext.
                #expect(most < 2 << 20)
                var bytes = 0
                for _ in 0..<2_000 { bytes += try late.readLine().utf8.count }
                #expect(bytes > 2 << 20)
            }
        }

        @Test(arguments: ["{\"op\":\"ping\",\"id\":1}\n", "GET / HTTP/1.1\r\n\r\n", "\n"])
        func `a plain line gets one plain error line and the end`(text: String) async throws {
            let log = KeptLog()
            try await TLSServing.with(log) { running in
                let client = try RawClient(running.address, readsGreeting: false)
                try client.send(text)
                let line = try client.line()
                #expect(try line.json("error")?["code"] == "BAD_REQUEST")
                #expect(line.contains("this port speaks TLS"))
                #expect(try client.lineOrEnd() == nil)
                #expect(log.lines(with: "reason=not_tls").count >= 1)
            }
        }

        @Test func `garbage gets an alert and the end`() async throws {
            try await TLSServing.with { running in
                for seed in 0..<50 as Range<UInt64> {
                    var random = SeededRandom(seed: seed)
                    let client = try RawClient(running.address, readsGreeting: false)
                    let bytes: [UInt8] = (0..<200).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                    try client.send([0x16, 0x03, 0x01, 0x00, 0x40] + bytes)
                    client.shutdownWrite()
                    #expect(try client.reachesEnd())
                }
                let good = try TLSServing.connect(running)
                #expect(try good.ask(Self.send).json("ok") == true)
                let stats = try good.ask(#"{"op":"stats","id":1}"#)
                #expect(try stats.json("tls_handshakes_failed") == 50)
            }
        }

        @Test func `of half-open handshakes the oldest go, and others are served`()
            async throws
        {
            try await TLSServing.with(
                KeptLog(),
                {
                    $0.limits.handshakesMax = 8
                    $0.limits.handshakesPerPeerMax = 5
                }
            ) { running in
                let good = try TLSServing.connect(running)
                var idle: [RawClient] = []
                for _ in 0..<20 {
                    idle.append(try RawClient(running.address, readsGreeting: false))
                }
                try await wait(good, until: "tls_handshakes_failed.displaced", is: 15)
                #expect(
                    try good.ask(#"{"op":"stats","id":1}"#).json("tls_handshakes_waiting") == 5)
                for client in idle[..<15] { #expect(try client.lineOrEnd() == nil) }
                let late = try TLSServing.connect(running)
                #expect(try late.ask(Self.send).json("ok") == true)
            }
        }

        @Test func `clients that come faster than the bound wait, and nobody is refused`()
            async throws
        {
            try await TLSServing.with(KeptLog(), { $0.limits.handshakesPerSecond = 4 }) {
                running in
                let started = ContinuousClock.now
                for _ in 0..<10 {
                    let client = try TLSServing.connect(running)
                    #expect(try client.ask(#"{"op":"ping","id":1}"#).json("ok") == true)
                }
                // One at once, and nine that wait a quarter of a second each.
                #expect(ContinuousClock.now - started >= .seconds(2))
                let client = try TLSServing.connect(running)
                let stats = try client.ask(#"{"op":"stats","id":1}"#)
                #expect(try stats.json("tls_handshakes") == 11)
                #expect(try (stats.json("tls_handshakes_paced")?.integer ?? 0) >= 9)
                #expect(try stats.json("tls_handshakes_failed") == 0)
            }
        }

        @Test func `more clients than may wait for their turn get one, too`() async throws {
            try await TLSServing.with(KeptLog(), { $0.limits.handshakesPerSecond = 200 }) {
                running in
                // Each has sent its first bytes before the server looks at any of them.
                let tls = try TLSServing.client()
                let raw = try (0..<100).map { _ in
                    let client = try RawClient(running.address, readsGreeting: false)
                    var hello = try TLSConnection(client: tls, serverName: "localhost")
                    var bytes: [UInt8] = []
                    hello.takeOutbound {
                        bytes = Array($0)
                        return $0.count
                    }
                    try client.send(bytes)
                    return client
                }
                let good = try TLSServing.connect(running)
                try await wait(good, until: "tls_handshakes_waiting", is: 100)
                let stats = try good.ask(#"{"op":"stats","id":1}"#)
                #expect(try stats.json("tls_handshakes") == 1)
                #expect(try stats.json("tls_handshakes_failed") == 0)
                withExtendedLifetime(raw) {}
            }
        }

        @Test func `connections that end, or speak no TLS, don't delay a handshake`() async throws {
            try await TLSServing.with(KeptLog(), { $0.limits.handshakesPerSecond = 4 }) {
                running in
                for round in 0..<200 {
                    let other = try RawClient(running.address, readsGreeting: false)
                    if round % 2 == 0 {
                        try other.send("{}\n")
                        #expect(try other.line().contains("this port speaks TLS"))
                    } else {
                        other.shutdownWrite()
                    }
                    #expect(try other.lineOrEnd() == nil)
                }
                let client = try TLSServing.connect(running)
                let stats = try client.ask(#"{"op":"stats","id":1}"#)
                #expect(try stats.json("tls_handshakes_failed") == 200)
                #expect(try stats.json("tls_handshakes_paced") == 0)
            }
        }

        @Test func `thousands of silent connections don't delay a handshake`() async throws {
            try await TLSServing.with(KeptLog(), { $0.limits.handshakesPerSecond = 4 }) {
                running in
                var silent: [RawClient] = []
                for _ in 0..<600 {
                    silent.append(try RawClient(running.address, readsGreeting: false))
                }
                let started = ContinuousClock.now
                let client = try TLSServing.connect(running)
                #expect(try client.ask(#"{"op":"ping","id":1}"#).json("ok") == true)
                // At four per second, those before it would need minutes.
                #expect(ContinuousClock.now - started < .seconds(30))
                let stats = try client.ask(#"{"op":"stats","id":1}"#)
                #expect(try stats.json("tls_handshakes") == 1)
                #expect(try stats.json("tls_handshakes_paced") == 0)
                withExtendedLifetime(silent) {}
            }
        }

        @Test func `a handshake that isn't complete in time is closed`() async throws {
            try await TLSServing.with(KeptLog(), { $0.limits.handshakeMilliseconds = 300 }) {
                running in
                let good = try TLSServing.connect(running)
                let idle = try RawClient(running.address, readsGreeting: false)
                let half = try RawClient(running.address, readsGreeting: false)
                try half.send([0x16, 0x03, 0x01])
                #expect(try idle.lineOrEnd() == nil)
                #expect(try half.lineOrEnd() == nil)
                let stats = try good.ask(#"{"op":"stats","id":1}"#)
                #expect(try stats.json("tls_handshakes_failed.timeout") == 2)
                #expect(try stats.json("connections") == 1)
            }
        }

        @Test func `a full server sends an alert`() async throws {
            try await TLSServing.with(KeptLog(), { $0.limits.connectionsMax = 1 }) { running in
                let first = try TLSServing.connect(running)
                #expect(throws: (any Error).self) { try TLSServing.connect(running) }
                #expect(try first.ask(Self.send).json("ok") == true)
            }
        }

        @Test func `certificates of clients are none, asked for, or required`() async throws {
            for (mode, accepts) in [
                ("none", [true, true, true]), ("asked", [true, true, false]),
                ("required", [false, true, false]),
            ] {
                let log = KeptLog()
                var prepared = ServerOptions()
                try TLSServing.apply(to: &prepared, clients: mode)
                let tls = prepared.tls
                try await TLSServing.with(log, { $0.tls = tls }) { running in
                    for (name, isAccepted) in zip([nil, "client", "foreign"], accepts) {
                        if isAccepted {
                            let client = try TLSServing.connect(running, as: name)
                            #expect(try client.ask(Self.send).json("ok") == true)
                        } else {
                            #expect(throws: (any Error).self) {
                                try TLSServing.connect(running, as: name)
                            }
                        }
                    }
                    let lines = log.lines(with: "showed a certificate that isn't valid")
                    #expect(lines.isEmpty == (mode == "none"))
                    if mode == "asked" {
                        #expect(lines.first?.contains("CN=foreign") == true)
                        #expect(lines.first?.contains("certificate_stranger") == true)
                    }
                }
            }
        }

        @Test func `a stop ends the streams of TLS, and drops handshakes`() async throws {
            try await TLSServing.with { running in
                let client = try TLSServing.connect(running)
                let idle = try RawClient(running.address, readsGreeting: false)
                try await wait(client, until: "tls_handshakes_waiting", is: 1)
                let stop = Task { try await running.server.stop(graceMilliseconds: 4_000) }
                #expect(try client.readLine().json("op") == "draining")
                #expect(try client.readLineIfAny() == nil)
                #expect(!client.wasCutOff)
                #expect(try idle.lineOrEnd() == nil)
                try await stop.value
            }
        }

        // MARK: openssl s_client

        /// What `openssl s_client` says to a server after it has sent a ping.
        private func session(_ running: RunningServer, _ arguments: String...) throws -> String {
            let certificates = try TestCertificates.shared.get()
            let command =
                [
                    "20", "openssl", "s_client", "-connect", "\(running.address)", "-CAfile",
                    certificates.certificate("ca"), "-verify_return_error", "-servername",
                    "localhost", "-ign_eof",
                ] + arguments
            // The server ends the connection after it.
            return try Command.run(
                "timeout", command, input: "{\"op\":\"hello\",\"proto\":99,\"id\":1}\n"
            ).output
        }

        @Test func `openssl s_client talks by 1.2 and 1.3, with good ciphers`() async throws {
            try await TLSServing.with { running in
                for version in ["-tls1_2", "-tls1_3"] {
                    let said = try session(running, version, "-alpn", "grove/1")
                    #expect(said.contains("UNSUPPORTED_PROTO"), "\(said)")
                    #expect(said.contains("ALPN protocol: grove/1"))
                    #expect(said.contains("Verify return code: 0 (ok)"))
                    #expect(said.contains("Compression: NONE"))
                    #expect(!said.contains("Post-Handshake New Session Ticket"))
                }
                let bare = try session(running, "-tls1_3")
                #expect(bare.contains("No ALPN negotiated") && bare.contains("UNSUPPORTED_PROTO"))
            }
        }

        @Test(arguments: [
            ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], ["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
            ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"],
            ["-tls1_2", "-cipher", "AES128-GCM-SHA256"], ["-alpn", "http/1.1"],
        ])
        func `openssl s_client is refused with what is old or foreign`(
            arguments: [String]
        ) async throws {
            try await TLSServing.with { running in
                let certificates = try TestCertificates.shared.get()
                let outcome = try Command.run(
                    "timeout",
                    [
                        "20", "openssl", "s_client", "-connect", "\(running.address)", "-CAfile",
                        certificates.certificate("ca"),
                    ] + arguments, input: "{}\n")
                #expect(outcome.status != 0)
                #expect(!outcome.output.contains(#""op":"hello""#))
            }
        }

        @Test func `openssl s_client can't renegotiate`() async throws {
            try await TLSServing.with { running in
                let certificates = try TestCertificates.shared.get()
                let process = Process()
                process.executableURL = URL(filePath: "/usr/bin/env")
                process.arguments = [
                    "timeout", "20", "openssl", "s_client", "-connect", "\(running.address)",
                    "-tls1_2", "-CAfile", certificates.certificate("ca"),
                ]
                let (input, output) = (Pipe(), Pipe())
                process.standardInput = input
                process.standardOutput = output
                process.standardError = output
                try process.run()
                // The program's command for it. It ends by itself when it is refused.
                try input.fileHandleForWriting.write(contentsOf: Data("R\n".utf8))
                let said = String(
                    decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                #expect(said.contains("RENEGOTIATING") && said.contains("no renegotiation"))
                #expect(process.terminationStatus == 1, "\(said)")
            }
        }

        @Test func `openssl s_client gets no session, and sends no early data`() async throws {
            try await TLSServing.with { running in
                let folder = try TemporaryFolder()
                let early = folder.path("early")
                try Data("{\"op\":\"ping\",\"id\":\"early\"}\n".utf8)
                    .write(to: URL(filePath: early))
                let session = folder.path("session")
                let first = try self.session(running, "-tls1_3", "-sess_out", session)
                #expect(first.contains("UNSUPPORTED_PROTO"))
                #expect(!FileManager.default.fileExists(atPath: session))
                let second = try self.session(running, "-tls1_3", "-early_data", early)
                #expect(second.contains("Early data was not sent"))
                #expect(!second.contains(#""id":"early""#))
            }
        }
    }
}
