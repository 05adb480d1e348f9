import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Retries", .ownThreads, .timeLimit(.minutes(2)))
struct RetryTests {
    private func client(
        _ server: FakeServer, timeout: Duration = .seconds(30),
        retry: RetryPolicy = RetryPolicy()
    ) -> Client { Client(options: options(server, timeout: timeout, retry: retry)) }

    @Test func `a send that lost its connection is repeated with its key`() async throws {
        let keys = Keys()
        let server = try FakeServer(
            { connection in
                try connection.greet()
                keys.add(try connection.request("send"))
            },
            { _ in },
            { connection in
                try connection.greet()
                let again = try connection.request("send")
                keys.add(again)
                try connection.require(again["event"] == "go", "\(again)")
                try connection.reply(again, #""v":1,"dup":true"#)
                keys.add(try connection.request("create"))
                try connection.awaitClose()
            })
        let client = client(server)
        let reply = try await client.send(to: "c/a", event: "go")
        #expect(reply.version == 1 && reply.isDuplicate)
        _ = client.submit(.about("c/b", "create"))
        await client.closeWhen { keys.all.count == 3 }
        try await server.finish()
        #expect(keys.all[0].count > 20 && keys.all[0] == keys.all[1])
        #expect(keys.all[2] != keys.all[0] && !keys.all[2].isEmpty)
    }

    @Test func `unanswered calls are repeated in their order`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                for _ in 0..<6 { _ = try connection.request("send") }
            },
            { connection in
                try connection.greet()
                for number in 0..<9 {
                    let send = try connection.request("send")
                    try connection.require(send["event"] == .string("e\(number)"), "\(send)")
                    try connection.reply(send, #""v":\#(number)"#)
                }
                try connection.awaitClose()
            })
        let client = client(server)
        let replies = (0..<9).map { number in
            client.submit(
                .send(to: "c/\(number % 2)", event: JSONValue.string("e\(number)").serialized()))
        }
        for (number, reply) in replies.enumerated() {
            #expect(try await reply.value.integer("v") == Int64(number))
        }
        await client.close()
        try await server.finish()
    }

    @Test func `a batch that lost its connection is repeated with its keys`()
        async throws
    {
        let batches = Keys()
        let server = try FakeServer(
            { connection in
                try connection.greet()
                batches.add(batch: try connection.request("batch"))
            },
            { connection in
                try connection.greet()
                let again = try connection.request("batch")
                batches.add(batch: again)
                try connection.reply(again, #""results":[{"ok":true,"v":1},{"ok":true,"v":2}]"#)
                try connection.awaitClose()
            })
        let client = client(server)
        let reply = try await client.batch([
            BatchItem(to: "c/a", event: "go"), BatchItem(to: "c/a", event: "on", dedup: "mine"),
        ])
        #expect(try reply.results.map { try $0.get().version } == [1, 2])
        await client.close()
        try await server.finish()
        #expect(batches.all.count == 4 && batches.all[..<2] == batches.all[2...])
        #expect(batches.all[0].count > 20 && batches.all[1] == "mine")
    }

    @Test func `a batch of texts reports its lost connection`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                _ = try connection.request("batch")
            })
        let client = client(server)
        let item = BatchItem(text: Array(#"{"to":"c/a","event":"go"}"#.utf8))
        await #expect(throws: ClientError.self) { try await client.batch([item]) }
        await client.close()
        try await server.finish()
    }

    @Test(arguments: [
        ("stop", true), ("delete", true), ("cancel", true), ("complete", true), ("get", false),
    ])
    func `a writing call without a key isn't sent twice`(
        op: String, fails: Bool
    ) async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                _ = try connection.request(op)
            },
            { connection in
                try connection.greet()
                try connection.reply(try connection.request(fails ? "ping" : op))
            })
        let client = client(server)
        let error = await failure { try await client.request(.about("c/a", op)) }
        #expect(error?.code == (fails ? "CONNECTION_LOST" : nil))
        if fails { try await client.ping() }
        try await server.finish()
    }

    @Test func `a request marked as repeatable is repeated`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                _ = try connection.request("batch")
            },
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("batch"))
            })
        var request = Request("batch")
        #expect(!request.isRepeatable)
        request.isRepeatable = true
        _ = try await client(server).request(request)
        try await server.finish()
    }

    @Test(arguments: [
        "OVERLOADED", "RATE_LIMITED", "STORAGE_FULL", "NOT_OWNER", "UNAVAILABLE", "STORAGE_ERROR",
    ])
    func `a postponed call is repeated after the server's pause`(
        code: String
    ) async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let first = try connection.request("send")
            try connection.refuse(first, code, retry: true, more: #","retry_after_ms":150"#)
            let start = ContinuousClock.now
            let second = try connection.request("send")
            let pause = ContinuousClock.now - start
            try connection.require(second["dedup"] == first["dedup"], "\(second)")
            try connection.require(pause >= .milliseconds(140), "after \(pause)")
            try connection.reply(second, #""v":1"#)
        }
        #expect(try await client(server).send(to: "c/a", event: "go").version == 1)
        try await server.finish()
    }

    @Test func `a permanent refusal is reported at once`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.refuse(try connection.request("send"), "EVENT_REJECTED")
            let get = try connection.request("get")
            try connection.refuse(get, "STORAGE_ERROR", retry: true)
            for code in ["STORAGE_ERROR", "UNAVAILABLE"] {
                try connection.refuse(try connection.request("stop"), code, retry: true)
            }
            let wait = try connection.request("await")
            try connection.refuse(wait, "TIMEOUT", retry: true)
            let settle = try connection.request("send")
            try connection.refuse(settle, "TIMEOUT", retry: true)
        }
        let client = client(server)
        let rejected = await failure { try await client.send(to: "c/a", event: "go") }
        #expect(rejected?.code == "EVENT_REJECTED")
        // Damaged data stays damaged.
        #expect(await failure { try await client.get("c/a") }?.code == "STORAGE_ERROR")
        // The outcome of these is unknown, and they have no keys.
        for code in ["STORAGE_ERROR", "UNAVAILABLE"] {
            let unknown = await failure { try await client.stop("c/a") }
            #expect(unknown?.code == code && unknown?.isOutcomeUnknown == true)
        }
        // The caller has set the wait for these.
        let waited = await failure { try await client.await("c/a", for: .seconds(1)) }
        #expect(waited?.code == "TIMEOUT")
        let settled = await failure {
            try await client.send(to: "c/a", event: "go", settle: .own, for: .seconds(1))
        }
        #expect(settled?.code == "TIMEOUT")
        try await server.finish()
    }

    @Test func `a call is repeated after a storage error`() async throws {
        let keys = Keys()
        let server = try FakeServer(
            { connection in
                try connection.greet()
                let sends = try (0..<3).map { _ in try connection.request("send") }
                for send in sends { keys.add(send) }
                try connection.refuse(sends[0], "STORAGE_ERROR", retry: true)
            },
            { connection in
                try connection.greet()
                for number in 0..<3 {
                    let send = try connection.request("send")
                    try connection.require(send["event"] == .string("e\(number)"), "\(send)")
                    keys.add(send)
                    // The first one was stored before the server ended.
                    let more = number == 0 ? #","dup":true"# : ""
                    try connection.reply(send, #""v":\#(number + 1)\#(more)"#)
                }
            })
        let client = client(server)
        let replies = (0..<3).map { number in
            client.submit(Request.send(to: "c/a", event: Array(#""e\#(number)""#.utf8)))
        }
        for (number, reply) in replies.enumerated() {
            #expect(try await reply.value.integer("v") == Int64(number + 1))
        }
        try await server.finish()
        #expect(keys.all.count == 6 && Array(keys.all[..<3]) == Array(keys.all[3...]))
    }

    @Test func `a postponed call delays only its instance`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let sends = try (0..<3).map { _ in try connection.request("send") }
            try connection.refuse(sends[0], "OVERLOADED", retry: true)
            try connection.reply(sends[1], #""v":1"#)
            let other = try connection.request("send")
            try connection.require(other["to"] == "c/b", "\(other)")
            try connection.reply(other, #""v":1"#)
            // Only now have all calls about c/a replies.
            try connection.reply(sends[2], #""v":2"#)
            for (number, version) in [("e0", 3), ("e3", 4), ("e4", 5)] {
                let next = try connection.request("send")
                try connection.require(next["event"] == .string(number), "\(next)")
                try connection.reply(next, #""v":\#(version)"#)
            }
        }
        let client = client(server)
        func send(_ number: Int, _ name: String = "c/a") -> PendingReply {
            client.submit(
                .send(to: name, event: JSONValue.string("e\(number)").serialized()))
        }
        let first = [send(0), send(1), send(2)]
        #expect(try await first[1].value.integer("v") == 1)
        let rest = [send(3), send(4)]
        #expect(try await send(5, "c/b").value.integer("v") == 1)
        #expect(try await first[0].value.integer("v") == 3)
        #expect(try await first[2].value.integer("v") == 2)
        #expect(try await rest[0].value.integer("v") == 4)
        #expect(try await rest[1].value.integer("v") == 5)
        try await server.finish()
    }

    @Test func `one by one, no refusal changes the order`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            for number in 0..<5 {
                let send = try connection.request("send")
                try connection.require(send["event"] == .string("e\(number)"), "\(send)")
                try connection.refuse(send, "OVERLOADED", retry: true)
                let again = try connection.request("send")
                try connection.require(again["dedup"] == send["dedup"], "\(again)")
                try connection.reply(again, #""v":\#(number)"#)
            }
        }
        let client = client(server, retry: RetryPolicy(order: .oneByOne))
        let replies = (0..<5).map { number in
            client.submit(.send(to: "c/a", event: JSONValue.string("e\(number)").serialized()))
        }
        for (number, reply) in replies.enumerated() {
            #expect(try await reply.value.integer("v") == Int64(number))
        }
        try await server.finish()
    }

    @Test func `a draining server gets no more calls, and the next one all in order`()
        async throws
    {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                let sends = try (0..<4).map { _ in try connection.request("send") }
                try connection.reply(sends[0], #""v":1"#)
                try connection.write(#"{"op":"draining","deadline_ms":10000}"#)
                for send in sends[1...] { try connection.refuse(send, "DRAINING", retry: true) }
            },
            { connection in
                try connection.greet()
                for number in 1..<6 {
                    let send = try connection.request("send")
                    try connection.require(send["event"] == .string("e\(number)"), "\(send)")
                    try connection.reply(send, #""v":\#(number + 1)"#)
                }
            })
        let client = client(server)
        func send(_ number: Int) -> PendingReply {
            client.submit(.send(to: "c/a", event: JSONValue.string("e\(number)").serialized()))
        }
        let first = (0..<4).map(send)
        #expect(try await first[0].value.integer("v") == 1)
        let replies = first[1...] + (4..<6).map(send)
        for (index, reply) in replies.enumerated() {
            #expect(try await reply.value.integer("v") == Int64(index + 2))
        }
        try await server.finish()
    }

    @Test func `a call waits for a server that isn't there yet`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("s")
        var options = ClientOptions(server: .unix(path: path))
        options.reconnect = ReconnectPolicy(
            initialDelay: .milliseconds(1), delayMax: .milliseconds(5))
        let client = Client(options: options)
        let subscribing = Task { try await client.subscribe() }
        let reply = client.submit(.about("c/a", "get"))
        let server = try FakeServer(path: path) { connection in
            try connection.greet()
            for _ in 0..<2 {
                let request = try JSONValue(parsing: Array((try connection.line() ?? "").utf8))
                let isGet = request["op"] == "get"
                try connection.reply(request, isGet ? #""v":7"# : #""cur":"c0""#)
            }
            try connection.awaitClose()
        }
        #expect(try await reply.value.integer("v") == 7)
        _ = try await subscribing.value
        await client.close()
        try await server.finish()
    }

    @Test func `a call times out with the last refusal`()
        async throws
    {
        let server = try FakeServer { connection in
            try connection.greet()
            let send = try connection.request("send")
            try connection.refuse(
                send, "OVERLOADED", retry: true, more: #","retry_after_ms":60000"#)
            try connection.awaitClose()
        }
        let client = client(server, timeout: .seconds(3))
        let refused = await failure { try await client.send(to: "c/a", event: "go") }
        #expect(refused?.code == "OVERLOADED" && refused?.isOutcomeUnknown == false)
        await client.close()
        try await server.finish()
    }

    @Test func `a call times out with an unknown outcome if one attempt was sent`()
        async throws
    {
        let server = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("send")
        }
        let client = client(server, timeout: .seconds(3))
        let lost = await failure { try await client.send(to: "c/c", event: "go") }
        #expect(lost == .timeout(.seconds(3)) && lost?.isOutcomeUnknown == true)
        try await server.finish()
    }

    @Test func `a call without a server times out, with nothing sent`() async throws {
        let address = ServerAddress.unix(path: "/nonexistent/grove.sock")
        let client = Client(
            options: ClientOptions(server: address, requestTimeout: .milliseconds(50)))
        let away = await failure { try await client.send(to: "c/d", event: "go") }
        #expect(away?.code == "UNREACHABLE" && away?.isOutcomeUnknown == false)
        #expect(await failure { try await client.subscribe() } != nil)
    }

    @Test func `a repeated wait is shorter by the time that has passed`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                let wait = try connection.request("await")
                try connection.require(wait["timeout_ms"] == 60_000, "\(wait)")
            },
            { connection in
                try connection.greet()
                let wait = try connection.request("await")
                let left = wait["timeout_ms"]?.integer ?? 0
                try connection.require((1_000..<60_000).contains(left), "\(wait)")
                try connection.reply(wait, #""state":1,"v":2,"done":true"#)
            })
        let reply = try await client(server).await("c/a", for: .seconds(60))
        #expect(reply.version == 2)
        try await server.finish()
    }

    @Test func `a cancelled call isn't sent again`() async throws {
        let keys = Keys()
        let server = try FakeServer(
            { connection in
                try connection.greet()
                keys.add(try connection.request("send"))
                try connection.require(try connection.line() != nil, "no second request")
            },
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("ping"))
            })
        let client = client(server)
        let sending = Task { await failure { try await client.send(to: "c/a", event: "go") } }
        while keys.all.isEmpty { await Task.yield() }
        sending.cancel()
        #expect(await sending.value == .cancelled)
        try await client.ping()
        try await server.finish()
    }

    @Test func `calls beyond the bound fail at once`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let sends = try (0..<3).map { _ in try connection.request("send") }
            for send in sends { try connection.reply(send, #""v":1"#) }
            try connection.reply(try connection.request("send"), #""v":2"#)
        }
        var options = options(server, retry: RetryPolicy())
        options.callsMax = 3
        let client = Client(options: options)
        let replies = (0..<4).map { _ in client.submit(.send(to: "c/a", event: "1".utf8)) }
        let error = await failure { try await replies[3].value }
        #expect(error?.code == "QUEUE_FULL" && error?.isRetryable == true)
        #expect(error?.isOutcomeUnknown == false)
        for reply in replies[..<3] { #expect(try await reply.value.integer("v") == 1) }
        #expect(try await client.send(to: "c/a", event: "go").version == 2)
        try await server.finish()
    }

    @Test func `without keys a send is sent unchanged`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let line = try connection.line() ?? ""
            let expected = #"{"op":"send","id":2,"to":"c/a","event":"go"}"#
            try connection.require(line == expected, line)
        }
        let client = client(server, retry: RetryPolicy(makesKeys: false))
        let error = await failure { try await client.send(to: "c/a", event: "go") }
        #expect(error?.code == "CONNECTION_LOST")
        try await server.finish()
    }

    @Test func `a postponed subscription starts later`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.refuse(
                    try connection.request("subscribe"), "OVERLOADED", retry: true)
                _ = try connection.request("subscribe")
            },
            { connection in
                try connection.greet()
                let subscribe = try connection.request("subscribe")
                try connection.require(subscribe["from"] == "now", "\(subscribe)")
                try connection.reply(subscribe, #""cur":"c0""#)
                try connection.write(#"{"sub":"s1","cur":"c0","mark":"live"}"#)
                try connection.awaitClose()
            })
        let client = client(server)
        let items = try await client.subscribe().items.makeAsyncIterator()
        guard case .mark(.live) = try await items.next() else {
            throw FakeServerError(text: "something came before the mark")
        }
        await client.close()
        try await server.finish()
    }
}
