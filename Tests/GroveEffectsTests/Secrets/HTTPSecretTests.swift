import GroveNetwork
import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

@Suite("HTTP handler: secrets", .timeLimit(.minutes(5)))
struct HTTPSecretTests {
    private static let canary = "sk_live_canary"
    private static let header: [String: HTTPHeaderValue] = [
        "Authorization": .secret("stripe", prefix: "Bearer ")
    ]

    /// Runs `body` with a server with TLS, which is `pinned.example`, and a handler for it.
    private func withHandler(
        answer: @escaping @Sendable (TestServer.Request) -> TestServer.Answer,
        _ body: (EffectHandler, _ port: Int, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(answer: answer) { server in
            try await TestCertificate.withTLS(before: server.port) { port in
                try await withFile(TestCertificate.pem) { file in
                    var options = HTTPOptions.toward(
                        "pinned.example:\(port)", "other.example:\(port)",
                        "pinned.example:\(server.port)")
                    options.trustRootsFile = file
                    options.redirectsMax = 3
                    options.secrets = try EffectSecrets(
                        testing: (
                            "stripe hosts=pinned.example:\(port) machines=order", Self.canary
                        ))
                    let resolver = ListResolver([["127.0.0.1"]])
                    let handler = HTTPHandler.make(options: options, resolve: resolver.resolve)
                    try await body(handler, port, server)
                }
            }
        }
    }

    @Test func `a value is sent, and what comes back of it has its name only`() async throws {
        try await withHandler(answer: { request in
            let value = request.headers["authorization"]?.first ?? "none"
            return .reply(200, ["X-Echo": value], #"{"you":"\#(value)"}"#)
        }) { handler, port, server in
            let result = await handler.call(
                HTTPRequest(url: "https://pinned.example:\(port)/", headers: Self.header),
                instance: "order/7")
            #expect(
                server.record.requests.first?.headers["authorization"]
                    == ["Bearer \(Self.canary)"])
            #expect(result.answer?["body"] == ["you": "Bearer [secret:stripe]"], "\(result)")
            #expect(result.answer?["headers"]?["x-echo"] == "Bearer [secret:stripe]")
            #expect(!"\(result)".contains("canary"))
        }
    }

    @Test func `a text that comes back is replaced too, and a binary one isn't shown`()
        async throws
    {
        try await withHandler(answer: { request in
            request.target == "/text"
                ? .reply(200, [:], "got \(Self.canary)")
                : .reply(200, body: Array(Self.canary.utf8) + [0xFF])
        }) { handler, port, _ in
            let text = await handler.call(
                HTTPRequest(url: "https://pinned.example:\(port)/text"), instance: "order/7")
            #expect(text.answer?["body"] == "got [secret:stripe]", "\(text)")
            let binary = await handler.call(
                HTTPRequest(url: "https://pinned.example:\(port)/x"), instance: "order/7")
            #expect(binary.failure.hasSuffix("neither JSON nor text in UTF-8"))
        }
    }

    @Test func `an answer that the names make too large is refused`() async throws {
        let name = String(repeating: "n", count: 60)
        try await TestServer.with(answer: { request in
            let count = request.target == "/many" ? 100 : 1
            return .reply(200, [:], String(repeating: "12345678", count: count))
        }) { server in
            var options = HTTPOptions.toward("pinned.example:\(server.port)")
            options.responseBytesMax = 1_000
            options.secrets = try EffectSecrets(
                testing: ("\(name) hosts=a.test machines=order", "12345678"))
            let resolver = ListResolver([["127.0.0.1"]])
            let handler = HTTPHandler.make(options: options, resolve: resolver.resolve)
            let one = await handler.get("http://pinned.example:\(server.port)/one")
            #expect(one.answer?["body"] == .string("[secret:\(name)]"), "\(one)")
            let many = await handler.get("http://pinned.example:\(server.port)/many")
            #expect(
                many.failure == "for good: the server's answer has more than 1000 bytes", "\(many)")
        }
    }

    @Test func `a reason has the name only, and the pause of Retry-After stays`() async throws {
        try await withHandler(answer: { request in
            request.target == "/later"
                ? .reply(503, ["Retry-After": "7"])
                : .reply(302, ["Location": "https://\(Self.canary).example/"])
        }) { handler, port, _ in
            let away = await handler.call(
                HTTPRequest(url: "https://pinned.example:\(port)/", headers: Self.header),
                instance: "order/7")
            #expect(
                away.failure.hasPrefix("for good: [secret:stripe].example isn't allowed"),
                "\(away)")
            let context = EffectHandlerContext(
                key: "k", attempt: 1, instance: "order/7", delivered: 0, run: 1, send: { _ in })
            let request = HTTPRequest(url: "https://pinned.example:\(port)/later").json
            let error = await #expect(throws: RetryLater.self) {
                try await handler.body(request, context)
            }
            #expect(error == RetryLater("the server answered 503", after: .seconds(7)))
        }
    }

    @Test func `another host, another machine, plaintext and unknown names fail for good`()
        async throws
    {
        try await withHandler(answer: { _ in .reply(200) }) { handler, port, server in
            let right = "https://pinned.example:\(port)/"
            let unknown: [String: HTTPHeaderValue] = ["A": .secret("other")]
            for (url, instance, headers, reason) in [
                (
                    "https://other.example:\(port)/", "order/7", Self.header,
                    "the secret stripe isn't for other.example:\(port)"
                ),
                (right, "shop/7", Self.header, "the secret stripe isn't for the machine shop"),
                (
                    "http://pinned.example:\(server.port)/", "order/7", Self.header,
                    "the secret stripe is sent over https only"
                ),
                (right, "order/7", unknown, "there is no secret other: configure secrets with it"),
            ] {
                let result = await handler.call(
                    HTTPRequest(url: url, headers: headers), instance: instance)
                #expect(result.failure == "for good: \(reason)")
            }
            #expect(server.record.requests.isEmpty)
        }
    }

    @Test(arguments: [
        ("/y", true), ("https://a.test:443/", true), ("https://a.test:8443/", false),
        ("http://a.test/", false), ("https://b.test/", false),
    ])
    func `a redirect to another origin drops a secret, in whatever header`(
        location: String, isKept: Bool
    ) throws {
        let secrets = try EffectSecrets(
            testing: ("stripe hosts=a.test,b.test,a.test:8443 machines=order", Self.canary))
        let request = HTTPRequest(
            url: "https://a.test/x",
            headers: ["User-Agent": .secret("stripe"), "Accept": "*", "X": .secret("stripe")])
        let hop = try HTTPHop(request, key: "k", secrets: secrets, machine: "order")
        #expect(hop.header("user-agent") == Self.canary)
        let next = try #require(try hop.following(status: 307, location: location))
        #expect((next.header("user-agent") == Self.canary) == isKept)
        #expect(next.headers.contains { $0.value.contains("canary") } == isKept)
        #expect(next.header("accept") == "*")
    }

    @Test func `own roots of trust are used instead of all others`() async throws {
        try await TestServer.with(answer: { _ in .reply(200, [:], "safe") }) { server in
            try await TestCertificate.withTLS(before: server.port) { port in
                var options = HTTPOptions.toward("pinned.example:\(port)")
                let resolver = ListResolver([["127.0.0.1"]])
                try await withFile(TestCertificate.pem) { file in
                    options.trustRootsFile = file
                    // It would be added to the system's.
                    options.additionalTrustRootsFile = "/none.pem"
                    let handler = HTTPHandler.make(options: options, resolve: resolver.resolve)
                    let result = await handler.get("https://pinned.example:\(port)/")
                    #expect(result.answer?["body"] == "safe", "\(result)")
                }
                options.trustRootsFile = "/none.pem"
                let handler = HTTPHandler.make(options: options, resolve: resolver.resolve)
                let result = await handler.get("https://pinned.example:\(port)/")
                #expect(result.failure.hasPrefix("no answer from pinned.example"), "\(result)")
            }
        }
    }
}
