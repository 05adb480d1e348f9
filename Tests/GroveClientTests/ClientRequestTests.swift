import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Client: requests", .ownThreads, .timeLimit(.minutes(2)))
struct ClientRequestTests {
    @Test func `a send returns the result of its event`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let send = try connection.request("send")
            try connection.require(send["to"] == "counter/a", "\(send)")
            try connection.require(send["event"] == ["type": "add", "amount": 5], "\(send)")
            try connection.require(send["dedup"] == "k" && send["expect"] == 3, "\(send)")
            try connection.require(send["create"] == "never", "\(send)")
            try connection.require(send["reply"] == "full", "\(send)")
            try connection.reply(
                send,
                #""v":4,"cur":"c4","changed":true,"done":true,"dup":true,"state":9,"outputs":[1]"#)
        }
        let reply = try await Client(options: options(server)).send(
            to: "counter/a", event: ["type": "add", "amount": 5], dedup: "k",
            expect: .version(3), create: .never, reply: .full)
        #expect(reply.version == 4 && reply.cursor == "c4")
        #expect(reply.isChanged && reply.isDone && reply.isDuplicate)
        #expect(reply.state == 9 && reply.outputs == [1])
        try await server.finish()
    }

    @Test func `a reply has only the requested members`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let line = try connection.line() ?? ""
            let expected = #"{"op":"send","id":2,"to":"c/a","event":"go"}"#
            try connection.require(line == expected, line)
            try connection.write(#"{"id":2,"ok":true,"v":1}"#)
        }
        let reply = try await Client(options: options(server)).send(to: "c/a", event: "go")
        #expect(reply.version == 1 && !reply.isChanged && reply.cursor == nil)
        try await server.finish()
    }

    @Test func `requests keep their order, and replies may come in any order`()
        async throws
    {
        let server = try FakeServer { connection in
            try connection.greet()
            let requests = try (0..<100).map { _ in try connection.request("get") }
            for (index, request) in requests.enumerated() {
                try connection.require(request["to"]?.string == "c/\(index)", "\(request)")
            }
            for (index, request) in requests.enumerated().reversed() {
                try connection.reply(request, #""v":\#(index)"#)
            }
        }
        let client = Client(options: options(server))
        let replies = (0..<100).map { client.submit(.about("c/\($0)", "get")) }
        for (index, reply) in replies.enumerated() {
            #expect(try await reply.value.integer("v") == Int64(index))
        }
        try await server.finish()
    }

    @Test func `a server's error is thrown with all its members`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let more = #","retry_after_ms":250,"data":{"v":45}"#
            try connection.refuse(
                try connection.request("get"), "OVERLOADED", retry: true, more: more)
            try connection.refuse(try connection.request("get"), "NO_SUCH_INSTANCE")
        }
        let client = Client(options: options(server))
        guard case .server(let error) = await failure(of: { try await client.get("c/a") })
        else { throw FakeServerError(text: "no server error") }
        #expect(error.code == "OVERLOADED" && error.message == "no" && error.isRetryable)
        #expect(error.retryAfter == .milliseconds(250) && error.data == ["v": 45])
        let second = await failure { try await client.get("c/a") }
        #expect(second?.code == "NO_SUCH_INSTANCE" && second?.isOutcomeUnknown == false)
        try await server.finish()
    }

    @Test func `replies may be nested deeper than requests`() async throws {
        let depth = 100
        let state = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("get"), #""v":1,"state":\#(state)"#)
        }
        let reply = try await Client(options: options(server)).get("c/a")
        #expect(reply.state.description == state)
        try await server.finish()
    }

    @Test func `answers heartbeats and ignores what it doesn't know`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let stats = try connection.request("stats")
            try connection.write(#"{"op":"ping","t":17}"#)
            try connection.require(try connection.line() == #"{"op":"ping"}"#, "no answer")
            try connection.write(#"{"op":"draining","deadline_ms":10000}"#)
            try connection.write(#"{"op":"news","more":7}"#)
            try connection.write(#"{"id":999,"ok":true}"#)
            try connection.write(#"{"sub":"nobody","cur":"1","to":"a/b","v":1}"#)
            try connection.reply(stats, #""x":1"#)
        }
        #expect(try await Client(options: options(server)).stats().integer("x") == 1)
        try await server.finish()
    }

    @Test func `sends the token with its hello`() async throws {
        let server = try FakeServer { connection in
            try connection.write(#"{"op":"hello","server":"grove","proto":[1,2]}"#)
            let hello = try connection.request("hello")
            try connection.require(hello["token"] == "secret" && hello["proto"] == 1, "\(hello)")
            try connection.reply(hello)
            try connection.reply(try connection.request("ping"))
        }
        var options = options(server)
        options.token = ClientToken("secret")
        try await Client(options: options).ping()
        try await server.finish()
    }

    @Test func `connecting shows the greeting`() async throws {
        let server = try FakeServer { connection in
            try connection.greet(maxLine: 500, heartbeatMillis: 1234)
            try connection.reply(try connection.request("ping"))
        }
        let greeting = try await Client(options: options(server)).connect()
        #expect(greeting.version == "9.9.9" && greeting.lineBytesMax == 500)
        #expect(greeting.heartbeat == .milliseconds(1234))
        try await server.finish()
    }

    @Test func `a request longer than the server's lines is not sent`() async throws {
        let server = try FakeServer { connection in
            try connection.greet(maxLine: 100)
            try connection.reply(try connection.request("ping"))
        }
        let client = Client(options: options(server))
        let long = JSONValue.string(String(repeating: "x", count: 100))
        let error = await failure { try await client.send(to: "c/a", event: long) }
        #expect(error?.code == "INVALID_REQUEST")
        try await client.ping()
        try await server.finish()
    }

    @Test func `a request nested deeper than the server reads is not sent`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let last = try connection.request("define")
            try connection.require(last["definition"]?.array != nil, "\(last)")
            try connection.reply(last, #""name":"m""#)
        }
        let client = Client(options: options(server))
        func nested(_ depth: Int) -> JSONValue {
            (1..<depth).reduce(JSONValue.array([])) { inner, _ in .array([inner]) }
        }
        let error = await failure { _ = try await client.define(nested(64)) }
        #expect(error?.code == "INVALID_REQUEST" && error?.message.contains("deep") == true)
        #expect(try await client.define(nested(63)).name == "m")
        try await server.finish()
    }

    @Test func `a request with more values than the server reads is not sent`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let held = try connection.request("get")
            let last = try connection.request("send")
            try connection.reply(held, #""v":3"#)
            try connection.reply(last, #""v":4"#)
        }
        let client = Client(options: options(server))
        let held = client.submit(.about("c/a", "get"))
        // The line has five values besides: the request, op, id, to, and the event itself.
        func send(_ count: Int) -> PendingReply {
            var request = Request.about("c/a", "send")
            request.set("event", .array(Array(repeating: .integer(1), count: count)))
            return client.submit(request)
        }
        let error = await failure { _ = try await send(99_996).value }
        #expect(error?.code == "INVALID_REQUEST")
        #expect(error?.message.contains("more than 100000 values") == true)
        #expect(try await send(99_995).value.integer("v") == 4)
        #expect(try await held.value.integer("v") == 3)
        try await server.finish()
    }
}
