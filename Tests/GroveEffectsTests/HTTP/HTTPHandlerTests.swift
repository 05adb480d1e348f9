import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

@Suite("HTTP handler", .timeLimit(.minutes(5)))
struct HTTPHandlerTests {
    @Test func `a request arrives as described, with the effect's key`() async throws {
        try await TestServer.with(answer: { _ in .reply(204) }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            #expect(handler.name == "http")
            let result = await handler.call(
                HTTPRequest(
                    method: "POST", url: "http://\(server.authority)/pay?now=1#x",
                    headers: ["X-Tenant": "seven"], body: ["amount": 5]),
                key: "order-7-1")
            #expect(result.answer?["status"] == 204)
            #expect(result.answer?["body"] == .null)
            let request = try #require(server.record.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == "/pay?now=1")
            #expect(request.body == #"{"amount":5}"#)
            #expect(request.headers["host"] == [server.authority])
            #expect(request.headers["x-tenant"] == ["seven"])
            #expect(request.headers["content-type"] == ["application/json"])
            #expect(request.headers["content-length"] == ["12"])
            #expect(request.headers["idempotency-key"] == ["order-7-1"])
        }
    }

    @Test func `without a body there is no Content-Type, and the caller's headers win`()
        async throws
    {
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            let url = "http://\(server.authority)"
            _ = await handler.get(url)
            _ = await handler.call(
                HTTPRequest(
                    method: "PUT", url: url,
                    headers: ["IDEMPOTENCY-KEY": "mine", "content-type": "application/x"],
                    body: "text"))
            let requests = server.record.requests
            #expect(requests.map(\.method) == ["GET", "PUT"])
            #expect(requests[0].target == "/")
            #expect(requests[0].headers["content-type"] == nil)
            #expect(requests[0].headers["idempotency-key"] == ["key-1"])
            #expect(requests[1].headers["content-type"] == ["application/x"])
            #expect(requests[1].headers["idempotency-key"] == ["mine"])
            #expect(requests[1].body == #""text""#)
        }
    }

    @Test func `requests to one place share a connection`() async throws {
        try await TestServer.with(answer: { _ in .reply(200, [:], "5") }) { server in
            let handler = HTTPHandler.keepingConnections(options: .toward(server.authority))
            for _ in 1...5 {
                #expect(await handler.get("http://\(server.authority)/").answer?["body"] == 5)
            }
            #expect(server.record.connections == 1)
        }
    }

    @Test(arguments: [
        (#"{"b":1,"a":[null]}"#, ["b": 1, "a": [nil]] as JSONValue),
        ("true", true), (" 7 ", 7), ("", nil), ("plain text", "plain text"),
        ("{broken", "{broken"), ("größer", "größer"),
    ])
    func `a body is JSON where it can be, and text else`(
        text: String, value: JSONValue
    ) async throws {
        try await TestServer.with(answer: { _ in .reply(200, [:], text) }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            let result = await handler.get("http://\(server.authority)/")
            #expect(result.answer?["body"] == value, "\(result)")
        }
    }

    @Test func `a body that is no text fails for good`() async throws {
        try await TestServer.with(answer: { _ in .reply(200, body: [0x66, 0xFF, 0xFE]) }) {
            let handler = HTTPHandler.make(options: .toward($0.authority))
            #expect(
                await handler.get("http://\($0.authority)/").failure
                    == "for good: the server's answer is neither JSON nor text in UTF-8")
        }
    }

    @Test func `headers of an answer have names in lower case`() async throws {
        try await TestServer.with(answer: { _ in .reply(201, ["X-Request-ID": "Ab"], "{}") }) {
            let handler = HTTPHandler.make(options: .toward($0.authority))
            let answer = await handler.get("http://\($0.authority)/").answer
            #expect(answer?["headers"]?["x-request-id"] == "Ab")
            #expect(answer?["headers"]?["content-length"] == "2")
            #expect(answer?["status"] == 201)
        }
    }

    @Test func `an interim answer and headers after the body are ignored`() async throws {
        let headers = ["X-A": "1"]
        try await TestServer.with(answer: { _ in .interim(200, headers) }) {
            let handler = HTTPHandler.make(options: .toward($0.authority))
            let answer = await handler.get("http://\($0.authority)/").answer
            #expect(answer?["status"] == 200)
            #expect(answer?["headers"] == ["transfer-encoding": "chunked", "x-a": "1"])
            #expect(answer?["body"] == 7)
        }
    }

    @Test func `only the machine's headers are sent`() async throws {
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            let url = "http://\(server.authority)/a/../b/.%2e?x"
            // Large enough that libraries wait for permission first (Expect: 100-continue).
            let large = JSONValue.string(String(repeating: "x", count: 2 << 20))
            for request in [
                HTTPRequest(url: url), HTTPRequest(method: "POST", url: url),
                HTTPRequest(method: "PUT", url: url, headers: ["Accept": " "], body: large),
                HTTPRequest(method: "DELETE", url: url), HTTPRequest(method: "Odd", url: url),
            ] {
                #expect(await handler.call(request).answer?["status"] == 200)
            }
            let requests = server.record.requests
            #expect(requests.map(\.method) == ["GET", "POST", "PUT", "DELETE", "Odd"])
            #expect(Set(requests.map(\.target)) == ["/a/../b/.%2e?x"])
            let names = requests.map { $0.headers.keys.sorted().joined(separator: " ") }
            #expect(
                names == [
                    "host idempotency-key", "content-length host idempotency-key",
                    "accept content-length content-type host idempotency-key",
                    "host idempotency-key", "host idempotency-key",
                ])
            #expect(requests[1].headers["content-length"] == ["0"])
            #expect(requests[2].headers["accept"] == [""])
            #expect(requests[2].body.utf8.count == 2 << 20 + 2)
        }
    }

    @Test(arguments: [500, 502, 503, 599, 408, 425, 429])
    func `a temporary status is a failed attempt`(status: Int) async throws {
        try await TestServer.with(answer: { _ in .reply(status, [:], "sorry") }) {
            let handler = HTTPHandler.make(options: .toward($0.authority))
            let result = await handler.get("http://\($0.authority)/")
            #expect(result.failure == "the server answered \(status)")
        }
    }

    @Test(arguments: [301, 302, 304, 307, 400, 401, 402, 404, 409, 410, 422, 451])
    func `a permanent status is a failure for good, unless the request accepts it`(
        status: Int
    ) async throws {
        let headers = ["Location": "/elsewhere"]
        try await TestServer.with(answer: { _ in .reply(status, headers) }) {
            let handler = HTTPHandler.make(options: .toward($0.authority))
            let url = "http://\($0.authority)/"
            #expect(
                await handler.get(url).failure == "for good: the server answered \(status)")
            let tolerant = HTTPRequest(url: url, acceptStatus: [status])
            let answer = await handler.call(tolerant).answer
            #expect(answer?["status"] == .integer(Int64(status)))
            #expect($0.record.requests.count == 2)
        }
    }

    @Test(arguments: [200, 201, 204, 299, 429, 503])
    func `2xx and accepted statuses are results`(status: Int) async throws {
        try await TestServer.with(answer: { _ in .reply(status, ["Retry-After": "1"]) }) {
            let handler = HTTPHandler.make(options: .toward($0.authority))
            let request = HTTPRequest(url: "http://\($0.authority)/", acceptStatus: [429, 503])
            let answer = await handler.call(request).answer
            #expect(answer?["status"] == .integer(Int64(status)))
        }
    }

    @Test func `a request isn't repeated before its Retry-After`() async throws {
        try await TestServer.with(answer: { _ in .reply(503, ["Retry-After": "7"]) }) {
            let handler = HTTPHandler.make(options: .toward($0.authority))
            let context = EffectHandlerContext(
                key: "k", attempt: 1, instance: nil, delivered: 0, run: 1, send: { _ in })
            let request = HTTPRequest(url: "http://\($0.authority)/").json
            let error = await #expect(throws: RetryLater.self) {
                try await handler.body(request, context)
            }
            #expect(error == RetryLater("the server answered 503", after: .seconds(7)))
        }
    }

    @Test func `the answer to HEAD has no body, whatever it announces`() async throws {
        let headers = ["Content-Length": "104857600"]
        try await TestServer.with(answer: { _ in .reply(200, headers) }) {
            let handler = HTTPHandler.make(options: .toward($0.authority))
            let result = await handler.call(
                HTTPRequest(method: "HEAD", url: "http://\($0.authority)/"))
            #expect(result.answer?["body"] == .null)
            #expect(result.answer?["headers"]?["content-length"] == "104857600")
        }
    }

    static let malformed: [(argument: JSONValue, reason: String)] = [
        (["method": "GET"], "the argument is no request"),
        (["url": 5], "the argument is no request"),
        ("https://h/", "the argument is no request"),
        (["url": "https://u@h/"], "the request's URL holds a user name"),
        (["url": "https://h/", "method": "GE T"], "the request's method is none"),
        (["url": "https://h/", "method": ""], "the request's method is none"),
        (["url": "https://h/", "method": "CONNECT"], "the request's method is none"),
        (["url": "https://h/", "method": "connect"], "the request's method is none"),
        (["url": "https://h/", "method": "Trace"], "the request's method is none"),
        (["url": "https://h/", "headers": ["A:": "b"]], "a header of the request is malformed"),
        (
            ["url": "https://h/", "headers": ["A": "b\r\nHost: c"]],
            "a header of the request is malformed"
        ),
        (
            ["url": "https://h/", "headers": ["A": "b", "a": "c"]],
            "a header of the request is malformed or given twice"
        ),
        (["url": "https://h/", "headers": ["Host": "c"]], "the header host isn't the caller's"),
        (
            ["url": "https://h/", "headers": ["Transfer-Encoding": "chunked"]],
            "the header transfer-encoding isn't the caller's"
        ),
    ]

    @Test(arguments: malformed)
    func `a malformed request fails for good before anything is looked up`(
        argument: JSONValue, reason: String
    ) async {
        let resolver = ListResolver([["127.0.0.1"]])
        let handler = HTTPHandler.make(options: .toward("h"), resolve: resolver.resolve)
        #expect(await handler.call(argument).failure.hasPrefix("for good: \(reason)"))
        #expect(resolver.names.isEmpty)
    }

    @Test func `a request is written as the JSON that is read`() throws {
        let request = HTTPRequest(
            method: "PUT", url: "https://h/", headers: ["a": "b"], body: [1],
            timeoutMilliseconds: 5)
        var writer = JSONWriter()
        try JSONCoding.encode(request, into: &writer)
        let value = try JSONValue(parsing: writer.bytes)
        #expect(
            value.description
                == #"{"method":"PUT","url":"https://h/","headers":{"a":"b"},"body":[1],"#
                + #""timeout_ms":5}"#)
        #expect(try HTTPRequest(argument: value) == request)
        #expect(try HTTPRequest(argument: ["url": "x"]) == HTTPRequest(url: "x"))
    }
}
