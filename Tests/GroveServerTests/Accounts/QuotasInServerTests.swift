import GroveAccess
import GroveNetwork
import GroveTLS
import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    /// Quotas of some clients, and what others still can do.
    @Suite("Quotas in a server", .timeLimit(.minutes(2)))
    struct QuotasInServerTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// A server for lines and HTTP, its owner, and a token of the principal `shop`.
        private struct Site {
            let running: RunningServer
            let web: SocketAddress
            let encryptedWeb: SocketAddress
            let owner: RawClient
            let token: String

            func setQuotas(_ principal: String, _ quotas: String) throws {
                let changed = try owner.ask(
                    """
                    {"op":"accounts","id":2,"action":"change","principal":"\(principal)",\
                    "quotas":\(quotas),"force":true}
                    """)
                #expect(changed.contains(#""ok":true"#), "\(changed)")
            }

            /// A client with lines of the principal `shop`.
            func shop() throws -> RawClient {
                let client = try running.connect()
                let answer = try client.ask(#"{"op":"auth","id":0,"token":"\#(token)"}"#)
                #expect(answer.contains(#""ok":true"#), "\(answer)")
                return client
            }

            /// A client with HTTP that has sent a request.
            func request(
                _ path: String, fields: String = "", on old: RawClient? = nil
            ) throws -> RawClient {
                let client = try old ?? RawClient(web, readsGreeting: false)
                try client.send(
                    "GET \(path) HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n")
                return client
            }

            /// The status of an answer over HTTP.
            func status(
                _ path: String, fields: String = "", on old: RawClient? = nil
            ) throws -> Int {
                let client = try request(path, fields: fields, on: old)
                let status = try client.line().split(separator: " ")[1]
                var length = 0
                while true {
                    let field = try client.line().replacing("\r", with: "")
                    if field.isEmpty { break }
                    if field.hasPrefix("Content-Length: ") {
                        length = Int(field.dropFirst(16)) ?? 0
                    }
                }
                _ = try client.bytes(length)
                return Int(status) ?? 0
            }

            var bearer: String { "Authorization: Bearer \(token)\r\n" }

            /// Whether everybody but `anonymous` is served.
            func expectOthersServed() throws {
                let lines = try shop()
                let got = try lines.ask(#"{"op":"get","id":1,"to":"counter/a"}"#)
                #expect(got.contains(#""ok":true"#), "\(got)")
                #expect(try status("/v1/instances/counter/a", fields: bearer) == 200)
                #expect(try status("/healthz") == 200)
                #expect(try status("/readyz") == 200)
            }
        }

        private func serve(
            anonymous: String = "{}", _ body: (Site) async throws -> Void
        ) async throws {
            let socket = folder.path("s")
            let certificates = try TestCertificates.shared.get()
            try await RunningServer.with {
                $0.listen.append(.unix(path: socket))
                $0.web.addresses = [
                    .init(.loopbackV4(port: 0)), .init(.loopbackV4(port: 0), isEncrypted: true),
                ]
                $0.tls.identities = [
                    TLSIdentity(
                        certificate: certificates.certificate("server"),
                        key: certificates.key("server"))
                ]
            } _: { running in
                let owner = try RawClient(.unix(path: socket))
                let made = try owner.ask(
                    #"{"op":"token","id":1,"action":"create","principal":"shop","#
                        + #""grants":["admin */*","send,read,subscribe */*"],"force":true}"#)
                let addresses = await running.server.webAddresses.compactMap {
                    SocketAddress($0.replacing(/https?:\/\//, with: ""))
                }
                let site = Site(
                    running: running, web: addresses[0], encryptedWeb: addresses[1],
                    owner: owner,
                    token: try #require(try made.json("token")?.string, "\(made)"))
                let granted = try owner.ask(
                    #"{"op":"accounts","id":1,"action":"change","principal":"anonymous","#
                        + #""add":{"grants":["read,send counter/*"]},"quotas":\#(anonymous)}"#)
                #expect(granted.contains(#""ok":true"#), "\(granted)")
                _ = try owner.ask(#"{"op":"create","id":1,"to":"counter/a"}"#)
                try await body(site)
            }
        }

        private let get = #"{"op":"get","id":7,"to":"counter/a"}"#

        // MARK: `anonymous`, and others

        @Test func `connections of anonymous keep away nobody else`() async throws {
            try await serve(anonymous: #"{"connections":2}"#) { site in
                let idle = try (0..<2).map { _ in try site.running.connect() }
                try site.expectOthersServed()
                let more = try site.running.connect()
                let refused = try more.ask(get)
                #expect(refused.contains(#""id":7"#) && refused.contains("RATE_LIMITED"))
                #expect(try more.reachesEnd())
                #expect(try site.status("/v1/instances/counter/a") == 429)
                #expect(try idle[0].ask(get).contains(#""ok":true"#))
            }
        }

        @Test func `connections over HTTPS count once, and not before they are open`()
            async throws
        {
            try await serve(anonymous: #"{"connections":2}"#) { site in
                let context = try TLSServing.client { $0.protocols = ["http/1.1"] }
                let silent = try (0..<4).map { _ in
                    try RawClient(site.encryptedWeb, readsGreeting: false)
                }
                for fields in ["", site.bearer] {
                    for _ in 0..<6 {
                        let client = try LineClient(
                            port: site.encryptedWeb.port, tls: context, readsGreeting: false)
                        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + fields
                        try client.send(bytes: Array((request + "\r\n").utf8))
                        #expect(try client.readLine().hasPrefix("HTTP/1.1 200 OK"))
                    }
                }
                let lines = try site.running.connect()
                #expect(try lines.ask(get).contains(#""ok":true"#))
                #expect(try site.status("/v1/instances/counter/a") == 200)
                for client in silent { client.hangUp() }
            }
        }

        @Test func `connections over HTTP count, and there is room after them`() async throws {
            try await serve(anonymous: #"{"connections":2}"#) { site in
                let path = "/v1/instances/counter/a"
                let kept = try (0..<2).map { _ in try RawClient(site.web, readsGreeting: false) }
                for client in kept { #expect(try site.status(path, on: client) == 200) }
                let more = try RawClient(site.web, readsGreeting: false)
                #expect(try site.status("/healthz", on: more) == 200)
                #expect(try site.status(path, on: more) == 429)
                #expect(try more.reachesEnd())
                try site.expectOthersServed()
                kept[0].hangUp()
                var status = 429
                while status == 429 { status = try site.status(path) }
                #expect(status == 200)
            }
        }

        @Test func `a spent rate of anonymous holds up nobody else`() async throws {
            try await serve(anonymous: #"{"events_per_s":1}"#) { site in
                let fast = try site.running.connect()
                let item = #"{"to":"counter/a","event":"increment"}"#
                let items = Array(repeating: item, count: 200).joined(separator: ",")
                let sent = try fast.ask(#"{"op":"batch","id":1,"items":[\#(items)]}"#)
                #expect(sent.contains(#""ok":true"#), "\(sent)")
                // A connection that proxies use for one client after the other.
                let shared = try RawClient(site.web, readsGreeting: false)
                #expect(try site.status("/healthz", on: shared) == 200)
                try site.expectOthersServed()
                let waiting = try site.request("/v1/instances/counter/a")
                let lines = try site.running.connect()
                try lines.send(get + "\n")
                try site.expectOthersServed()
                #expect(
                    try site.status("/v1/instances/counter/a", fields: site.bearer, on: shared)
                        == 200)
                try site.setQuotas("anonymous", #"{"events_per_s":null}"#)
                #expect(try lines.line().contains(#""ok":true"#))
                #expect(try waiting.line().contains("200"))
            }
        }

        @Test func `spent requests of anonymous hold up nobody else`() async throws {
            try await serve(anonymous: #"{"requests":2}"#) { site in
                let waiting = try (0..<2).map { _ in try site.running.connect() }
                for client in waiting {
                    try client.send(
                        #"{"op":"await","id":1,"to":"counter/a","until":"done","#
                            + #""timeout_ms":3600000}"# + "\n")
                }
                try await site.owner.poll(#"{"op":"stats","id":1}"#) {
                    try $0.json("requests_waiting") == 2
                }
                try site.expectOthersServed()
                let more = try site.running.connect()
                try more.send(get + "\n")
                try site.expectOthersServed()
                try site.setQuotas("anonymous", #"{"requests":null}"#)
                #expect(try more.line().contains(#""ok":true"#))
            }
        }

        // MARK: Clients that are gone

        private let wait =
            #"{"op":"await","id":1,"to":"counter/a","until":"done","timeout_ms":3600000}"# + "\n"

        private func waiting(_ count: Int64, _ site: Site) async throws {
            try await site.owner.poll(#"{"op":"stats","id":1}"#) {
                try $0.json("requests_waiting")?.integer == count
            }
        }

        @Test(arguments: [false, true])
        func `a client over HTTP that is gone frees its principal's requests`(isReset: Bool)
            async throws
        {
            try await serve { site in
                try site.setQuotas("shop", #"{"requests":3}"#)
                let path = "/v1/instances/counter/a/await?until=done&timeout_ms=3600000"
                let clients = try (0..<5).map { _ in
                    try site.request(path, fields: site.bearer)
                }
                try await waiting(3, site)
                // Those that wait for the quota are noticed, too.
                for client in clients.reversed() {
                    if isReset { client.reset() } else { client.hangUp() }
                }
                try await waiting(0, site)
                try site.expectOthersServed()
                try await site.owner.poll(#"{"op":"stats","id":1}"#) {
                    try $0.json("connections") == 1
                }
            }
        }

        @Test(arguments: [false, true])
        func `a client with lines that is gone frees its principal's requests`(isReset: Bool)
            async throws
        {
            try await serve { site in
                try site.setQuotas("shop", #"{"requests":2}"#)
                let clients = try (0..<2).map { _ in try site.shop() }
                for client in clients { try client.send(wait) }
                try await waiting(2, site)
                for client in clients { if isReset { client.reset() } else { client.hangUp() } }
                try await waiting(0, site)
                try site.expectOthersServed()
            }
        }

        @Test(arguments: [false, true])
        func `a client that is gone has no subscription any more`(isReset: Bool) async throws {
            try await serve { site in
                try site.setQuotas("shop", #"{"connections":2}"#)
                for _ in 0..<2 {
                    let clients = try (0..<2).map { _ in try site.shop() }
                    for client in clients {
                        _ = try client.ask(#"{"op":"subscribe","id":1,"sub":"s"}"#)
                        #expect(try client.line().contains(#""mark":"live""#))
                        if isReset { client.reset() } else { client.hangUp() }
                    }
                    // Long before a heartbeat would show it.
                    try await site.owner.poll(#"{"op":"stats","id":1}"#) {
                        try $0.json("connections") == 1
                    }
                }
            }
        }

        @Test func `a client that only closes its side keeps its subscription`() async throws {
            try await serve { site in
                let client = try site.shop()
                _ = try client.ask(
                    #"{"op":"subscribe","id":1,"sub":"s","select":{"kind":["output"]}}"#)
                #expect(try client.line().contains(#""mark":"live""#))
                client.shutdownWrite()
                #expect(try client.line().contains(#""op":"ping""#))
                _ = try site.owner.ask(
                    #"{"op":"send","id":4,"to":"counter/a","event":"increment"}"#)
                #expect(try client.line().contains(#""kind":"output""#))
            }
        }

        @Test func `what a client sends before it is gone is carried out, with a quota, too`()
            async throws
        {
            try await serve { site in
                try site.setQuotas("shop", #"{"requests":2}"#)
                let blocker = try site.shop()
                try blocker.send(wait + wait)
                try await waiting(2, site)
                let line = #"{"op":"send","to":"counter/b","event":"increment"}"# + "\n"
                let auth = #"{"op":"auth","token":"\#(site.token)"}"# + "\n"
                let client = try site.running.connect()
                try client.send(auth + String(repeating: line, count: 100))
                client.hangUp()
                blocker.reset()
                try await site.owner.poll(#"{"op":"get","id":4,"to":"counter/b"}"#) {
                    try $0.json("v") == 100
                }
            }
        }

        // MARK: Bytes

        @Test func `heads of requests over HTTP count as bytes`() async throws {
            try await serve { site in
                try site.setQuotas("shop", #"{"bytes_per_s":10000}"#)
                let fields =
                    site.bearer + "X-Long: " + String(repeating: "x", count: 8_000) + "\r\n"
                let begin = Clock.microseconds()
                let path = "/v1/instances/counter/a"
                let kept = try RawClient(site.web, readsGreeting: false)
                for _ in 0..<2 {
                    // On new connections as on one that stays.
                    #expect(try site.status(path, fields: fields) == 200)
                    #expect(try site.status(path, fields: fields, on: kept) == 200)
                }
                // Ten thousand at once, and 14,000 at the rate before the fourth.
                #expect(Clock.microseconds() - begin >= 1_000_000)
            }
        }

        @Test(arguments: [false, true])
        func `pings of WebSocket count as bytes`(isAnonymous: Bool) async throws {
            let quotas = #"{"bytes_per_s":30000}"#
            try await serve(anonymous: quotas) { site in
                try site.setQuotas("shop", quotas)
                let upgrade =
                    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                let socket = try site.request(
                    "/v1/socket", fields: upgrade + (isAnonymous ? "" : site.bearer))
                while try socket.line() != "\r" {}
                let ping = [0x89, 0xFD, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 125)
                let begin = Clock.microseconds()
                let descriptor = socket.fd
                let sender = Task.detached {
                    for _ in 0..<6 {
                        let pings = Array(repeating: ping, count: 100).flatMap { $0 }
                        try RawClient.send(pings, to: descriptor)
                    }
                }
                // One read may be of 64 KiB, so more than that is sent.
                _ = try socket.bytes(600 * 127)
                try await sender.value
                let after = try site.request(
                    "/v1/instances/counter/a", fields: isAnonymous ? "" : site.bearer)
                #expect(try after.line().contains("200"))
                #expect(Clock.microseconds() - begin >= 1_000_000)
            }
        }
    }
}
