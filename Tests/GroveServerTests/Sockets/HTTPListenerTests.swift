import Foundation
import GroveNetwork
import GroveProtocol
import GroveStorage
import GroveTLS
import GroveTestSupport
import Logging
import OrderedJSON
import Testing

@testable import GroveHTTP
@testable import GroveServer

extension OverSockets {
    @Suite("Addresses with HTTP", .timeLimit(.minutes(2)))
    struct HTTPListenerTests {
        /// Runs `body` with a server that speaks HTTP, and the addresses of that.
        private func serve(
            _ change: (inout ServerOptions) -> Void = { _ in }, log: KeptLog = KeptLog(),
            _ body: (RunningServer, [SocketAddress]) async throws -> Void
        ) async throws {
            try await RunningServer.with(
                {
                    $0.web.addresses = [.init(.loopbackV4(port: 0))]
                    change(&$0)
                }, log: log.logger(level: .debug)
            ) { running in
                let addresses = await running.server.webAddresses.compactMap {
                    SocketAddress($0.replacing(/https?:\/\//, with: ""))
                }
                try await body(running, addresses)
            }
        }

        /// A request, and its answer's status and body.
        private func ask(
            _ client: RawClient, _ line: String, body: String = "", fields: String = ""
        ) throws -> (status: Int, body: String) {
            var text = line + " HTTP/1.1\r\nHost: localhost\r\n" + fields
            if !body.isEmpty {
                text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            }
            try client.send(text + "\r\n" + body)
            return try answer(client)
        }

        private func answer(_ client: RawClient) throws -> (status: Int, body: String) {
            let (status, body) = try bytes(client)
            return (status, String(decoding: body, as: UTF8.self))
        }

        private func bytes(_ client: RawClient) throws -> (status: Int, body: [UInt8]) {
            let status = Int(try client.line().split(separator: " ")[1]) ?? 0
            var length = 0
            while true {
                let field = try client.line().replacing("\r", with: "")
                if field.isEmpty { break }
                if field.hasPrefix("Content-Length: ") { length = Int(field.dropFirst(16)) ?? 0 }
            }
            return (status, try client.bytes(length))
        }

        @Test func `requests of one connection are answered in turn`() async throws {
            try await serve { running, addresses in
                let client = try RawClient(addresses[0], readsGreeting: false)
                let sent = try ask(
                    client, "POST /v1/instances/counter/a/events?reply=state",
                    body: #""increment""#)
                #expect(sent.status == 200 && sent.body.contains(#""state":{"count":1}"#))
                #expect(try ask(client, "GET /v1/instances/counter/a").status == 200)
                #expect(try ask(client, "GET /v1/instances/counter/b").status == 404)
                #expect(try ask(client, "GET /healthz").body == #"{"live":true}"#)
                let metrics = try ask(client, "GET /metrics").body
                #expect(metrics.contains("grove_engine_requests_total"))
                let lines = try running.connect()
                #expect(try lines.ask(#"{"op":"stats","id":1}"#).json("connections") == 2)
            }
        }

        @Test func `a client may send many requests at once, and gets all answers`() async throws {
            try await serve { _, addresses in
                let client = try RawClient(addresses[0], readsGreeting: false)
                let body = #""increment""#
                let request =
                    "POST /v1/instances/counter/p/events HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body
                let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let count = 3 * HTTPLimits.requestsPerTurnMax
                try client.send(String(repeating: request + health, count: count))
                for number in 1...count {
                    #expect(try answer(client).body.contains(#""v":\#(number),"#))
                    #expect(try answer(client).status == 200)
                }
            }
        }

        @Test func `requests of a connection may be of one client after the other`() async throws {
            try await serve {
                // Reached by a few replies, if they weren't counted for the connection.
                $0.limits.pendingBytesMax = 65_536
            } _: { _, addresses in
                let client = try RawClient(addresses[0], readsGreeting: false)
                for number in 0..<300 {
                    let fields = number % 2 == 0 ? "" : "Authorization: Bearer grove_\(number)\r\n"
                    #expect(try ask(client, "GET /v1/machines", fields: fields).status == 200)
                }
            }
        }

        @Test func `at level debug the log has each answer, and nothing of its client's text`()
            async throws
        {
            let log = KeptLog()
            try await serve(log: log) { running, addresses in
                let client = try RawClient(addresses[0], readsGreeting: false)
                _ = try ask(
                    client, "POST /v1/instances/counter/secret/events?reply=state",
                    body: #""increment""#)
                let missing = try ask(client, "GET /nowhere/secret")
                #expect(missing.status == 404)
                _ = try ask(client, "GET /v1/records?machine=secret")
                // Answers are logged after they are sent, on one queue.
                let other = try RawClient(addresses[0], readsGreeting: false)
                _ = try ask(other, "GET /healthz")
                let event = log.lines(with: "route=POST /v1/instances/{machine}/{name}/events")
                #expect(event.first?.contains("status=200") == true)
                let refusal = log.lines(with: "route=none").first
                #expect(refusal?.contains("status=404") == true)
                #expect(refusal?.contains("bytes=\(missing.body.utf8.count) ") == true)
                let stream = log.lines(with: "route=GET /v1/records")
                #expect(stream.first?.contains("bytes=stream") == true)
                #expect(log.lines(with: "secret").isEmpty)
            }
        }

        @Test func `a backup is one answer, and its connection is kept`() async throws {
            let folder = try TemporaryFolder()
            try await serve {
                $0.store = .file(folder.path("a.db"))
            } _: { running, addresses in
                let lines = try running.connect()
                _ = try lines.ask(#"{"op":"create","id":1,"to":"counter/c"}"#)
                let client = try RawClient(addresses[0], readsGreeting: false)
                // The first copy is removed: else there could be no second one.
                for name in ["b.db", "c.db"] {
                    try client.send("POST /v1/backup HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let (status, copy) = try bytes(client)
                    #expect(status == 200 && copy.count > HTTPLimits.outboundBytesMax)
                    try Data(copy).write(to: URL(filePath: folder.path(name)))
                    let store = try SQLiteStore.inspect(path: folder.path(name))
                    #expect(store.statistics().first { $0.name == "instances" }?.value == 1)
                }
                #expect(try ask(client, "GET /healthz").status == 200)
            }
        }

        @Test func `a client that pauses within its backup holds little, and gets all of it`()
            async throws
        {
            let folder = try TemporaryFolder()
            try await serve {
                $0.store = .file(folder.path("a.db"))
            } _: { running, addresses in
                let lines = try running.connect()
                var random = SeededRandom(seed: 4)
                for number in 0..<16 {
                    // Text that can't be compressed by much.
                    let track = (0..<25_000).map { _ in String(random.next(), radix: 36) }.joined()
                    let pack = #"{"type":"pack","track":"\#(track)"}"#
                    let to = #""to":"shipment/s\#(number)""#
                    let reply = try lines.ask(#"{"op":"send","id":1,\#(to),"event":\#(pack)}"#)
                    #expect(try reply.json("ok") == true)
                }
                let client = try RawClient(
                    addresses[0], readsGreeting: false, receiveBytes: 4_096)
                try client.send("POST /v1/backup HTTP/1.1\r\nHost: localhost\r\n\r\n")
                var most: Int64 = 0
                for _ in 0..<30 {
                    try await Task.sleep(for: .milliseconds(100))
                    let reply = try lines.ask(#"{"op":"stats","id":1}"#)
                    most = max(most, try #require(try reply.json("buffer_bytes")?.integer))
                }
                #expect(most > 10_000 && most < 1 << 20, "\(most)")
                let (status, copy) = try bytes(client)
                #expect(status == 200 && copy.count > 8 << 20)
                try Data(copy).write(to: URL(filePath: folder.path("b.db")))
                let store = try SQLiteStore.inspect(path: folder.path("b.db"))
                #expect(try store.checkAll() == [])
            }
        }

        @Test func `a connection that isn't kept ends with its answer`() async throws {
            // More than the time limit has seconds, of which each took one.
            try await serve { _, addresses in
                for _ in 0..<200 {
                    let client = try RawClient(addresses[0], readsGreeting: false)
                    let fields = "Connection: close\r\n"
                    #expect(try ask(client, "GET /v1/machines", fields: fields).status == 200)
                    #expect(try client.reachesEnd())
                }
            }
        }

        @Test func `an address to read changes nothing, over HTTP and WebSocket`() async throws {
            try await serve {
                $0.web.addresses.append(.init(.loopbackV4(port: 0), isReadOnly: true))
            } _: { _, addresses in
                let reader = try RawClient(addresses[1], readsGreeting: false)
                let refused = try ask(
                    reader, "POST /v1/instances/counter/a/events", body: #""increment""#)
                #expect(refused.status == 403)
                #expect(try ask(reader, "DELETE /v1/instances/counter/a").status == 403)
                #expect(try ask(reader, "POST /v1/reload").status == 403)
                #expect(try ask(reader, "GET /v1/instances").status == 200)
                #expect(try ask(reader, "GET /v1").body.contains(#""writes":false"#))
                let writer = try RawClient(addresses[0], readsGreeting: false)
                #expect(try !ask(writer, "GET /v1").body.contains("writes"))
                let socket = try LineClient(webSocketPort: addresses[1].port)
                try socket.send(
                    #"{"op":"send","id":1,"to":"counter/a","event":"increment"}"#,
                    #"{"op":"list","id":2}"#, #"{"op":"reload","id":3}"#)
                let replies = try (0..<3).map { _ in try socket.readLine() }
                #expect(replies.count { $0.contains("FORBIDDEN") } == 2)
                #expect(replies.contains { $0.contains(#""id":2,"ok":true"#) })
            }
        }

        @Test func `an address to read shows accounts and changes none`() async throws {
            try await serve {
                $0.web.addresses.append(.init(.loopbackV4(port: 0), isReadOnly: true))
            } _: { _, addresses in
                let reader = try RawClient(addresses[1], readsGreeting: false)
                #expect(try ask(reader, "GET /v1/accounts").status == 200)
                #expect(try ask(reader, "GET /v1/audit").status == 200)
                let change = #"{"action":"change","principal":"shop"}"#
                #expect(try ask(reader, "POST /v1/accounts", body: change).status == 403)
                let trial = #"{"action":"revoke","principal":"shop","dry_run":true}"#
                #expect(try ask(reader, "POST /v1/accounts", body: trial).status == 403)
                let token = #"{"action":"create","principal":"shop"}"#
                #expect(try ask(reader, "POST /v1/tokens", body: token).status == 403)
                #expect(try ask(reader, "GET /v1/accounts").body.contains(#""items":[]"#))
            }
        }

        @Test func `HTTPS is spoken with the protocol of browsers`() async throws {
            let certificates = try TestCertificates.shared.get()
            try await serve {
                $0.web.addresses = [.init(.loopbackV4(port: 0), isEncrypted: true)]
                $0.tls.identities = [
                    TLSIdentity(
                        certificate: certificates.certificate("server"),
                        key: certificates.key("server"))
                ]
            } _: { _, addresses in
                let context = try TLSServing.client { $0.protocols = ["http/1.1"] }
                let client = try LineClient(
                    port: addresses[0].port, tls: context, readsGreeting: false)
                try client.send(
                    bytes: Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                #expect(try client.readLine().hasPrefix("HTTP/1.1 200 OK"))
                // Lines are another protocol.
                #expect(throws: (any Error).self) {
                    _ = try LineClient(
                        port: addresses[0].port, tls: TLSServing.client(), readsGreeting: true)
                }
                let plain = try RawClient(addresses[0], readsGreeting: false)
                try plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try plain.line().hasPrefix("HTTP/1.1 400 "))
                #expect(try plain.reachesEnd())
            }
        }

        @Test func `a port in use is a failure only if it was named`() async throws {
            try await serve { _, addresses in
                var web = WebOptions()
                web.addresses = [.init(addresses[0])]
                #expect(throws: ListenFailure.self) {
                    _ = try BoundSocket.listen(forHTTP: web, beside: .allUsers, mode: 0o600)
                }
            }
            var web = WebOptions()
            web.isAutomatic = true
            #expect(web.wanted(beside: .otherMachines).isEmpty)
            for (lines, wantsToken) in [(LinesReach.someUsers, true), (.allUsers, false)] {
                let wanted = web.wanted(beside: lines)
                #expect(wanted.map(\.address) == [WebOptions.standardAddress])
                #expect(wanted.map(\.wantsToken) == [wantsToken])
            }
            // One of two can have it, if no other program does.
            let first = try BoundSocket.listen(forHTTP: web, beside: .allUsers, mode: 0o600)
            let second = try BoundSocket.listen(forHTTP: web, beside: .allUsers, mode: 0o600)
            #expect(second.sockets.isEmpty && second.missing != nil)
            #expect(first.sockets.count + (first.missing == nil ? 0 : 1) == 1)
        }

        @Test func `a reload that lets fewer users in ends the connections that came before`()
            async throws
        {
            try await serve({ $0.web.addresses[0].isStandard = true }) { running, addresses in
                let before = try RawClient(addresses[0], readsGreeting: false)
                #expect(try ask(before, "GET /v1/instances").status == 200)
                let lines = try running.connect()
                let io = try #require(await running.server.io)
                await io.changeReach(.someUsers)
                #expect(try before.reachesEnd())
                let after = try RawClient(addresses[0], readsGreeting: false)
                #expect(try ask(after, "GET /v1/instances").status == 401)
                #expect(try lines.ask(#"{"op":"ping","id":1}"#).contains(#""ok":true"#))
                // Nothing changes with the second time, and the way back ends nobody.
                let kept = try RawClient(addresses[0], readsGreeting: false)
                for reach in [LinesReach.someUsers, .allUsers] {
                    #expect(try ask(kept, "GET /healthz").status == 200)
                    await io.changeReach(reach)
                }
                #expect(try ask(kept, "GET /healthz").status == 200)
                let later = try RawClient(addresses[0], readsGreeting: false)
                #expect(try ask(later, "GET /v1/instances").status == 200)
            }
        }

        @Test func `where lines aren't for all users of the machine, HTTP takes a token`()
            async throws
        {
            let log = KeptLog()
            let guarded = { (options: inout ServerOptions) in
                options.web.addresses[0].wantsToken = true
            }
            try await serve(guarded, log: log) { running, addresses in
                let client = try RawClient(addresses[0], readsGreeting: false)
                #expect(try ask(client, "GET /healthz").status == 200)
                let greeting = try ask(client, "GET /v1").body
                #expect(greeting.contains(#""auth_required":true"#))
                #expect(log.lines(with: "HTTP takes a token").count == 1)
                // A token of nobody does no harm, and no good.
                for fields in ["", "Authorization: Bearer grove_nobody\r\n"] {
                    let stranger = try RawClient(addresses[0], readsGreeting: false)
                    let refused = try ask(
                        stranger, "POST /v1/instances/counter/a/events", body: #""increment""#,
                        fields: fields)
                    #expect(refused.status == 401, "\(refused.body)")
                }
                let made = try running.connect().ask(
                    """
                    {"op":"token","id":1,"action":"create","principal":"shop",\
                    "grants":["send */*"],"force":true}
                    """)
                let token = try #require(try made.json("token")?.string, "\(made)")
                let shop = try RawClient(addresses[0], readsGreeting: false)
                let sent = try ask(
                    shop, "POST /v1/instances/counter/a/events", body: #""increment""#,
                    fields: "Authorization: Bearer \(token)\r\n")
                #expect(sent.status == 200, "\(sent.body)")
            }
        }

        @Test func `lines reach as far as their addresses, files and certificates`() throws {
            var options = ServerOptions()
            #expect(options.linesReach == .allUsers)
            options.listen = [.unix(path: "/tmp/grove.sock")]
            #expect(options.linesReach == .someUsers)
            options.unixSocketMode = 0o666
            #expect(options.linesReach == .allUsers)
            options.unixSocketMode = 0o660
            options.listenTLS = [.loopbackV4(port: 0)]
            #expect(options.linesReach == .allUsers)
            options.tls.clientCertificates = .required
            #expect(options.linesReach == .someUsers)
            options.listen.append(.loopbackV4(port: 0))
            #expect(options.linesReach == .allUsers)
            options.listenTLS.append(try #require(SocketAddress("0.0.0.0:0")))
            #expect(options.linesReach == .otherMachines)
        }

        @Test func `messages of WebSocket are lines, whatever they look like`() async throws {
            try await serve { running, addresses in
                let foreign = ["\u{16}\u{3}\u{1}\u{2}\0", "GET / HTTP/1.1", "\u{16}", "\u{3}"]
                for text in foreign {
                    let client = try LineClient(webSocketPort: addresses[0].port)
                    try client.send(text)
                    let answer = try client.readLine()
                    #expect(answer.contains(#""code":"BAD_JSON""#), "\(text): \(answer)")
                    try client.send(#"{"op":"ping","id":1}"#)
                    #expect(try client.readLine().contains(#""ok":true"#))
                }
                #expect(try running.connect().ask(#"{"op":"ping","id":1}"#).contains("true"))
            }
        }

        @Test func `a client that doesn't read what it asks for isn't read`() async throws {
            try await serve { running, addresses in
                let socket = try RawClient(addresses[0], readsGreeting: false, receiveBytes: 4_096)
                try socket.send(
                    "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                        + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                // Pings with 125 bytes: each is answered with as many.
                let ping = [0x89, 0xFD, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 125)
                let fd = socket.fd
                let pings = Array(repeating: ping, count: 500).flatMap { $0 }
                let flood = Task.detached {
                    for _ in 0..<400 { try RawClient.send(pings, to: fd) }
                }
                let lines = try running.connect()
                for _ in 0..<1_000 {
                    let stats = try lines.ask(#"{"op":"stats","id":1}"#)
                    let bytes = try #require(try stats.json("buffer_bytes")?.integer)
                    #expect(bytes < 1 << 20)
                }
                socket.shutdownBoth()
                _ = await flood.result
            }
        }

        @Test func `one connection too many gets an answer`() async throws {
            try await serve {
                $0.limits.connectionsMax = 1
            } _: { running, addresses in
                let lines = try running.connect()
                let client = try RawClient(addresses[0], readsGreeting: false)
                let refused = try answer(client)
                #expect(refused.status == 503 && refused.body.contains("OVERLOADED"))
                #expect(try client.reachesEnd())
                lines.hangUp()
            }
        }

        @Test func `streams and sockets end with the server`() async throws {
            try await serve { running, addresses in
                let stream = try RawClient(addresses[0], readsGreeting: false)
                try stream.send(
                    "GET /v1/records?from=first&format=lines HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while try !stream.line().contains(#""mark":"live""#) {}
                let socket = try LineClient(webSocketPort: addresses[0].port)
                let idle = try RawClient(addresses[0], readsGreeting: false)
                #expect(try ask(idle, "GET /readyz").status == 200)
                let waiting = try RawClient(addresses[0], readsGreeting: false)
                #expect(try ask(waiting, "PUT /v1/instances/counter/w").status == 201)
                try waiting.send(
                    "GET /v1/instances/counter/w/await?until=done&timeout_ms=60000 HTTP/1.1\r\n"
                        + "Host: localhost\r\n\r\n")
                let lines = try running.connect()
                try await lines.poll(#"{"op":"stats","id":1}"#) {
                    try $0.json("requests_waiting") == 1
                }
                lines.hangUp()
                let stop = Task { try await running.stop() }
                #expect(try socket.readLine().contains(#""op":"draining""#))
                while try socket.readLineIfAny() != nil {}
                var last = ""
                while let line = try stream.lineOrEnd() { last = line.isEmpty ? last : line }
                #expect(last == "0\r" || last == "\r")
                #expect(try answer(waiting).status == 503)
                #expect(try waiting.reachesEnd() && idle.reachesEnd())
                try await stop.value
            }
        }

        @Test func `a half-closed client gets its answer, and then the end`() async throws {
            try await serve { _, addresses in
                let client = try RawClient(addresses[0], readsGreeting: false)
                try client.send("GET /v1/instances HTTP/1.1\r\nHost: localhost\r\n\r\n")
                client.shutdownWrite()
                #expect(try answer(client).status == 200)
                #expect(try client.reachesEnd())
            }
        }

        @Test func `the console is there, unless it is turned off`() async throws {
            try await serve { _, addresses in
                let client = try RawClient(addresses[0], readsGreeting: false)
                let page = try ask(client, "GET /")
                #expect(page.status == 200 && page.body.hasPrefix("<!doctype html>"))
                let script = try #require(page.body.firstMatch(of: /src="(assets\/.*\.js)"/))
                let text = try ask(client, "GET /\(script.output.1)")
                #expect(text.status == 200 && text.body.contains("import "))
            }
            try await serve({ $0.web.hasConsole = false }) { _, addresses in
                let client = try RawClient(addresses[0], readsGreeting: false)
                #expect(try ask(client, "GET /").status == 404)
                #expect(try ask(client, "GET /v1").status == 200)
            }
        }

        @Test func `a client that is gone waits no more, and leaves its place`() async throws {
            try await serve { running, addresses in
                let create = "PUT /v1/instances/counter/w HTTP/1.1\r\nHost: localhost\r\n\r\n"
                let wait =
                    "GET /v1/instances/counter/w/await?until=done&timeout_ms=3600000 HTTP/1.1\r\n"
                    + "Host: localhost\r\n\r\n"
                for _ in 0..<20 {
                    let client = try RawClient(addresses[0], readsGreeting: false)
                    try client.send(create + wait)
                    _ = try answer(client)
                    client.shutdownWrite()
                    #expect(try client.reachesEnd())
                }
                // More than may wait: the end of such a client couldn't be seen.
                let busy = try RawClient(addresses[0], readsGreeting: false)
                try busy.send(wait + String(repeating: create, count: 1_000))
                #expect(try busy.reachesEnd())
                let lines = try running.connect()
                try await lines.poll(#"{"op":"stats","id":1}"#) {
                    try $0.json("connections") == 1 && $0.json("requests_waiting") == 0
                }
            }
            // Else the end would be reported again and again.
            let channel = HTTPChannel(HTTPContext(HTTPSettings()), isReadOnly: false)
            #expect(channel.wantsInput)
            channel.isHalfClosed = true
            #expect(!channel.wantsInput)
        }
    }
}
