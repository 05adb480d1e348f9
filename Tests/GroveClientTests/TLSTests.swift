import Dispatch
import Foundation
import GroveNetwork
import GroveTLS
import GroveTestSupport
import OrderedJSON
import Synchronization
import Testing

@testable import GroveClient

/// The client and the real server with TLS.
@Suite("Client: TLS", .ownThreads, .timeLimit(.minutes(3)))
struct TLSTests {
    /// The problem of a call; an issue of the test if it is none of TLS.
    private func problem(
        _ address: ServerAddress, _ tls: TLSOptions
    ) async -> TLSProblem? {
        let client = SecureServers.client(address, tls)
        let error = await failure { try await client.send(to: "counter/a", event: "increment") }
        guard case .tlsFailed(let problem) = error else {
            Issue.record("\(String(describing: error))")
            return nil
        }
        #expect(problem.message.contains(address.description), "\(problem)")
        return problem
    }

    // MARK: Whom the client trusts

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a server of an own authority is trusted for its names`(host: String) async throws {
        let served = try SecureServers.serve()
        let address = SecureServers.address(served, host: host)
        let client = SecureServers.client(address, try SecureServers.trusting())
        #expect(try await client.send(to: "counter/a", event: "increment").version == 1)
        #expect(try await client.connect().version != nil)
    }

    @Test func `each reason not to trust a server has its word`() async throws {
        let trusting = try SecureServers.trusting()
        let cases: [(server: String, tls: TLSOptions, TLSProblem.Reason, words: String)] = [
            ("server", TLSOptions(), .unknownAuthority, "authority"),
            ("server", try SecureServers.trusting("stranger"), .unknownAuthority, "authority"),
            ("strange", trusting, .unknownAuthority, "authority"),
            ("other", trusting, .wrongName, "other names"),
        ]
        for (name, tls, reason, words) in cases {
            let served = try SecureServers.serve(name)
            let problem = await problem(served.address, tls)
            #expect(problem?.reason == reason, "\(name): \(String(describing: problem))")
            #expect(problem?.message.contains(words) == true)
            #expect(problem?.description.contains(problem?.advice ?? "?") == true)
        }
    }

    @Test(arguments: ["server", "other", "strange"])
    func `a pinned key replaces authority and name`(name: String) async throws {
        let served = try SecureServers.serve(name)
        let tls = TLSOptions(pin: TLSOptions.Pin(try SecureServers.pin(name)))
        let client = SecureServers.client(served.address, tls)
        #expect(try await client.send(to: "counter/a", event: "increment").version == 1)
    }

    @Test func `another key than the pinned one is refused, also of a known authority`()
        async throws
    {
        let served = try SecureServers.serve()
        var tls = TLSOptions(pin: TLSOptions.Pin(try SecureServers.pin("other")))
        #expect(await problem(served.address, tls)?.reason == .wrongKey)
        tls.ca = try TestCertificates.shared.get().certificate("ca")
        #expect(await problem(served.address, tls)?.reason == .wrongKey)
        tls.pin = TLSOptions.Pin(try SecureServers.pin("server"))
        try await SecureServers.client(served.address, tls).ping()
        // With an authority, the key is one check more.
        let elsewhere = try SecureServers.serve("other")
        tls.pin = TLSOptions.Pin(try SecureServers.pin("other"))
        #expect(await problem(elsewhere.address, tls)?.reason == .wrongName)
    }

    // MARK: What the client shows

    @Test func `a server that requires certificates lets only its clients in`() async throws {
        let served = try SecureServers.serve(clients: "required")
        let client = SecureServers.client(
            served.address, try SecureServers.trusting(as: "client"))
        #expect(try await client.send(to: "counter/a", event: "increment").version == 1)
        let bare = await problem(served.address, try SecureServers.trusting())
        #expect(bare?.reason == .certificateRequired, "\(String(describing: bare))")
        for name in ["foreign", "late", "wrongly"] {
            let problem = await problem(served.address, try SecureServers.trusting(as: name))
            #expect(problem?.reason == .certificateRefused, "\(String(describing: problem))")
        }
    }

    // MARK: Ports

    @Test func `a plain server gets no line of a client for TLS`() async throws {
        let server = try FakeServer { connection in
            try connection.write(#"{"op":"hello","server":"grove","proto":[1]}"#)
            while let line = try connection.line() {
                try connection.require(!line.contains("secret"), line)
            }
        }
        guard case .tcp(let host, let port) = server.address else { return }
        var options = ClientOptions(server: .tls(host: host, port: port))
        options.token = ClientToken("secret")
        let error = await failure { try await Client(options: options).ping() }
        guard case .tlsFailed(let problem) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem.reason == .notTLS)
        try await server.finish()
    }

    @Test func `a plain client at a port with TLS is told so`() async throws {
        let served = try SecureServers.serve()
        guard case .tls(let host, let port) = served.address else { return }
        let options = ClientOptions(
            server: .tcp(host: host, port: port), connectTimeout: .milliseconds(300),
            retry: .never)
        let error = await failure { try await Client(options: options).ping() }
        #expect(error?.code == "UNREACHABLE")
        #expect(error?.message.contains("tls:HOST:PORT") == true, "\(String(describing: error))")
    }

    @Test func `a server without room may have some later`() async throws {
        let server = try FakeServer { connection in
            // A fatal alert, `internal_error`: all that a full server says.
            try connection.write(bytes: [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50] as [UInt8])
            try connection.awaitClose()
        }
        guard case .tcp(let host, let port) = server.address else { return }
        let options = ClientOptions(server: .tls(host: host, port: port), retry: .never)
        let error = await failure { try await Client(options: options).ping() }
        #expect(error?.code == "UNREACHABLE" && error?.isRetryable == true)
        try await server.finish()
    }

    @Test func `a handshake without an answer fails in time`() async throws {
        let hasConnected = Mutex(false)
        let server = try FakeServer { connection in
            hasConnected.withLock { $0 = true }
            try connection.awaitClose()
        }
        guard case .tcp(let host, let port) = server.address else { return }
        // On a busy machine the time may be over before the client connects.
        while !hasConnected.withLock({ $0 }), !Task.isCancelled {
            let client = SecureServers.client(
                .tls(host: host, port: port), TLSOptions(), timeout: .milliseconds(300))
            let error = await failure { try await client.ping() }
            #expect(error?.code == "UNREACHABLE", "\(String(describing: error))")
        }
        try await server.finish()
    }

    // MARK: Connections that break

    @Test func `calls and subscriptions survive kills and stops`() async throws {
        let served = try SecureServers.serve()
        let client = Client(
            options: ClientOptions(
                server: served.address, tls: try SecureServers.trusting(),
                requestTimeout: .seconds(120),
                reconnect: ReconnectPolicy(
                    initialDelay: .milliseconds(5), delayMax: .milliseconds(50)),
                credit: 16))
        let outputs = try await client.subscribe(
            SubscriptionRequest(machine: "counter", kinds: [.output], start: .first))
        let records = outputs.makeAsyncIterator()
        let increment = Request.send(to: "counter/a", event: #""increment""#.utf8)
        for round in 0..<4 {
            let replies = (0..<300).map { _ in client.submit(increment) }
            if round % 2 == 1 {
                served.kill()
                try served.start()
            } else if round == 2 {
                #expect(served.stop() == 0)
                try served.start()
            }
            for number in 1...300 {
                let expected = Int64(round * 300 + number)
                #expect(try await replies[number - 1].value.integer("v") == expected)
                let record = try await records.next()
                #expect(record?.version == expected)
            }
        }
    }

    @Test func `a renewed certificate of the client is used by the next connection`() async throws {
        let served = try SecureServers.serve(clients: "required")
        let files = try TestCertificates.shared.get()
        let folder = try TemporaryFolder()
        var tls = try SecureServers.trusting()
        (tls.certificate, tls.key) = (folder.path("c.pem"), folder.path("c.key"))
        func install(_ name: String) throws {
            for (from, to) in [(files.certificate(name), "c.pem"), (files.key(name), "c.key")] {
                if FileManager.default.fileExists(atPath: folder.path(to)) {
                    try FileManager.default.removeItem(atPath: folder.path(to))
                }
                try FileManager.default.copyItem(atPath: from, toPath: folder.path(to))
            }
        }
        try install("late")
        let client = SecureServers.client(served.address, tls)
        #expect(await failure { try await client.ping() }?.code == "TLS_FAILED")
        try install("client")
        try await client.ping()
    }
}

/// One connection over sockets in memory, with TLS between.
@Suite("Connection: TLS", .ownThreads, .timeLimit(.minutes(1)))
struct TLSConnectionTests {
    @Test func `many bytes pass in order in both directions, and little waits`() throws {
        let files = try TestCertificates.shared.get()
        var server = TLSServerOptions()
        server.identities = [
            TLSIdentity(certificate: files.certificate("server"), key: files.key("server"))
        ]
        let serverContext = try TLSContext(server: server)
        let context = try SecureServers.trusting().makeContext()
        let (near, other) = pair()
        let queue = DispatchQueue(label: "grove.test")
        try queue.sync {
            var far = TLSConnection(server: serverContext)
            let connection = Connection(
                near, tls: try TLSConnection(client: context, serverName: "localhost"),
                queue: queue, lineBytesMax: 1 << 23, onReadable: {}, onWritable: {})
            connection.stopAwaitingWritable()
            let line = String(repeating: "x", count: 1 << 20) + "\n"
            let sent = Array(repeating: Array(line.utf8), count: 4).flatMap(\.self)
            connection.enqueue(sent)
            var answers = sent[...]
            var received: [UInt8] = []
            var lines: [Int] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while received.count < sent.count || lines.count < 4 {
                #expect(connection.flush() == nil)
                while case .bytes(let count) = buffer.withUnsafeMutableBytes({
                    other.read(into: $0)
                }) {
                    buffer[..<count].withUnsafeBytes { far.receive($0, into: &received) }
                }
                let taken = answers.withUnsafeBytes { far.send($0) }
                answers = answers.dropFirst(taken)
                far.takeOutbound { bytes in
                    if case .bytes(let count) = other.write(bytes) { count } else { 0 }
                }
                if case .failed(let failure) = connection.read(line: { lines.append($0.count) }) {
                    throw failure
                }
            }
            #expect(received == sent && lines == [1 << 20, 1 << 20, 1 << 20, 1 << 20])
            #expect(connection.writtenBytes == connection.queuedBytes)
            far.endSending()
            far.takeOutbound { bytes in
                if case .bytes(let count) = other.write(bytes) { count } else { 0 }
            }
            guard case .ended(let reason) = connection.read(line: { _ in }) else {
                Issue.record("the end wasn't read")
                return
            }
            #expect(reason == "the server closed the connection")
        }
    }

    private func pair() -> (Socket, Socket) {
        var fds: [Int32] = [0, 0]
        let status = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &fds)
        precondition(status == 0, "the system has no sockets left")
        for fd in fds { _ = fcntl(fd, F_SETFL, O_NONBLOCK) }
        return (Socket(owning: fds[0]), Socket(owning: fds[1]))
    }
}
