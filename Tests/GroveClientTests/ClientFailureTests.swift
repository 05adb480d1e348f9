import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Client: failures", .ownThreads, .timeLimit(.minutes(2)))
struct ClientFailureTests {
    @Test func `a call without a server fails as not sent`() async throws {
        // A fake server without scripts closes every connection before it greets.
        let server = try FakeServer()
        var options = ClientOptions(server: server.address, retry: .never)
        let turnedAway = await failure { try await Client(options: options).ping() }
        #expect(turnedAway?.code == "UNREACHABLE")
        options.server = .unix(path: "/nonexistent/grove.sock")
        let missing = await failure { try await Client(options: options).ping() }
        #expect(missing?.code == "UNREACHABLE")
        #expect(missing?.isOutcomeUnknown == false && missing?.isRetryable == true)
    }

    @Test func `a reply cut off at any byte leaves the outcome unknown`() async throws {
        let reply = Array(#"{"id":2,"ok":true,"v":12}"#.utf8)
        for end in 0...reply.count {
            let server = try FakeServer { connection in
                try connection.greet()
                _ = try connection.request("get")
                try connection.write(bytes: reply[..<end])
            }
            let error = await failure { try await Client(options: options(server)).get("c/a") }
            #expect(error?.code == "CONNECTION_LOST", "cut behind byte \(end)")
            #expect(error?.isOutcomeUnknown == true)
            try await server.finish()
        }
    }

    @Test func `the next call is sent after thousands that can't be sent`() async throws {
        let server = try FakeServer { connection in
            try connection.greet(maxLine: 200)
            let first = try connection.request("send")
            try connection.reply(try connection.request("ping"))
            try connection.reply(first, #""v":1"#)
            let last = try connection.request("send")
            try connection.reply(last, #""v":2"#)
        }
        var options = options(server, timeout: .seconds(60))
        options.retry.order = .oneByOne
        let client = Client(options: options)
        func send(_ event: String) -> PendingReply {
            client.submit(
                .send(to: "c/a", event: JSONValue.string(event).serialized()))
        }
        let first = send("go")
        let long = String(repeating: "x", count: 200)
        let tooLong = (0..<12_000).map { _ in send(long) }
        let last = send("go")
        try await client.ping()
        _ = try await first.value
        #expect(try await last.value.integer("v") == 2)
        for reply in tooLong {
            #expect(await failure { try await reply.value }?.code == "INVALID_REQUEST")
        }
        try await server.finish()
    }

    @Test func `connects again for the next request`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                _ = try connection.request("get")
            },
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("get"), #""v":7"#)
            })
        let client = Client(options: options(server))
        #expect(await failure { try await client.get("c/a") }?.code == "CONNECTION_LOST")
        #expect(try await client.get("c/a").version == 7)
        try await server.finish()
    }

    @Test func `fails all requests under way when the connection breaks`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            for _ in 0..<10 { _ = try connection.request("get") }
        }
        let client = Client(options: options(server))
        let replies = (0..<10).map { client.submit(.about("c/\($0)", "get")) }
        for reply in replies {
            #expect(await failure { try await reply.value }?.code == "CONNECTION_LOST")
        }
        try await server.finish()
    }

    @Test func `a call times out, and a late reply does no harm`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("ping"))
            let late = try connection.request("get")
            let second = try connection.request("stats")
            try connection.reply(late, #""v":1"#)
            try connection.reply(second, #""x":2"#)
        }
        let client = Client(options: options(server))
        try await client.ping()
        let error = await failure { try await client.get("c/a", timeout: .milliseconds(30)) }
        #expect(error == .timeout(.milliseconds(30)))
        #expect(error?.isOutcomeUnknown == true && error?.isRetryable == true)
        #expect(try await client.stats().integer("x") == 2)
        try await server.finish()
    }

    @Test func `a missing greeting times out, with nothing sent`() async throws {
        let server = try FakeServer { connection in
            try connection.require(try connection.line() == nil, "the client sent something")
        }
        var options = options(server)
        options.connectTimeout = .seconds(1)
        let error = await failure { try await Client(options: options).ping() }
        #expect(error?.code == "UNREACHABLE" && error?.isOutcomeUnknown == false)
        try await server.finish()
    }

    @Test func `the error of a server that rejects connections is reported`() async throws {
        let server = try FakeServer { connection in
            try connection.write(
                #"{"id":null,"error":{"code":"OVERLOADED","message":"full","retry":true}}"#)
            try connection.awaitClose()
        }
        let error = await failure { try await Client(options: options(server)).ping() }
        #expect(error?.code == "OVERLOADED" && error?.isRetryable == true)
        try await server.finish()
    }

    @Test func `a refusal of a line that the server couldn't read ends no other call`() async throws
    {
        let server = try FakeServer { connection in
            try connection.greet()
            let first = try connection.request("get")
            _ = try connection.line()
            try connection.write(
                #"{"id":null,"error":{"code":"BAD_JSON","message":"no","retry":false}}"#)
            try connection.reply(first, #""v":1"#)
            try connection.reply(try connection.request("get"), #""v":2"#)
            try connection.awaitClose()
        }
        let client = Client(options: options(server))
        let first = client.submit(.about("c/a", "get"))
        var bad = Request("send")
        bad.set("event", text: Array("nonsense".utf8))
        let unread = client.submit(bad, timeout: .milliseconds(300))
        #expect(try await first.value.integer("v") == 1)
        #expect(try await client.get("c/b").version == 2)
        let error = await failure { try await unread.value }
        #expect(error?.code == "NO_REPLY" && error?.isOutcomeUnknown == true)
        #expect(
            error?.message == """
                no reply within 0.3 seconds; the server couldn't read a line (BAD_JSON: no)
                """)
        await client.close()
        try await server.finish()
    }

    @Test func `another error without an id ends the connection`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("get")
            try connection.write(
                #"{"id":null,"error":{"code":"RATE_LIMITED","message":"no","retry":true}}"#)
            try connection.awaitClose()
        }
        let error = await failure { try await Client(options: options(server)).get("c/a") }
        #expect(error?.code == "CONNECTION_LOST")
        #expect(error?.message.contains("RATE_LIMITED") == true)
        try await server.finish()
    }

    @Test(arguments: [
        #"{"op":"hello","proto":[2]}"#, #"{"op":"hello"}"#, #"{"hi":1}"#, "220 mail ESMTP", "[]",
    ])
    func `a server of another protocol is refused`(line: String) async throws {
        let server = try FakeServer { connection in
            try connection.write(line)
            try connection.awaitClose()
        }
        let error = await failure { try await Client(options: options(server)).ping() }
        #expect(error?.code == "PROTOCOL_VIOLATION")
        try await server.finish()
    }

    @Test func `a refused hello fails the later calls`() async throws {
        let server = try FakeServer { connection in
            try connection.write(#"{"op":"hello","server":"grove","proto":[1]}"#)
            try connection.refuse(try connection.request("hello"), "UNAUTHENTICATED")
            try connection.awaitClose()
        }
        let error = await failure { try await Client(options: options(server)).ping() }
        #expect(error?.code == "CONNECTION_LOST")
        #expect(error?.message.contains("UNAUTHENTICATED") == true)
        try await server.finish()
    }

    @Test func `a line that is no JSON ends the connection`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("ping")
            try connection.write("{nonsense")
            try connection.awaitClose()
        }
        let error = await failure { try await Client(options: options(server)).ping() }
        #expect(error?.code == "CONNECTION_LOST")
        try await server.finish()
    }

    @Test func `a server that is silent for three heartbeats is gone`() async throws {
        let server = try FakeServer { connection in
            try connection.greet(heartbeatMillis: 10)
            _ = try connection.request("ping")
            try connection.awaitClose()
        }
        let error = await failure { try await Client(options: options(server)).ping() }
        #expect(error?.code == "CONNECTION_LOST")
        try await server.finish()
    }

    @Test func `closing fails outstanding and later calls`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("get")
            try connection.awaitClose()
        }
        let client = Client(options: options(server))
        let reply = client.submit(.about("c/a", "get"))
        await client.close()
        #expect(await failure { try await reply.value } == .closed)
        #expect(await failure { try await client.get("c/a") } == .closed)
    }

    @Test func `a cancelled task stops waiting`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("get")
            try connection.awaitClose()
        }
        let client = Client(options: options(server))
        let task = Task { await failure { try await client.get("c/a") } }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func `releasing the client closes its connection`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("ping"))
            try connection.awaitClose()
        }
        try await Client(options: options(server)).ping()
        try await server.finish()
    }
}
