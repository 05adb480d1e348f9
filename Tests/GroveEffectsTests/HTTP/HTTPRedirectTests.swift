import GroveNetwork
import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

@Suite("HTTP handler: redirects", .timeLimit(.minutes(5)))
struct HTTPRedirectTests {
    /// Returns redirects from `/0` to the next number each, up to `last`.
    private static func counting(to last: Int)
        -> @Sendable (TestServer.Request) -> TestServer.Answer
    {
        { request in
            let number = Int(request.target.dropFirst()) ?? 0
            if number == last { return .reply(200, [:], "\(number)") }
            return .reply(302, ["Location": "\(number + 1)"])
        }
    }

    private static func options(_ server: TestServer, redirects: Int) -> HTTPOptions {
        var options = HTTPOptions.toward(server.authority)
        options.redirectsMax = redirects
        return options
    }

    @Test func `redirects are followed up to the configured number`() async throws {
        try await TestServer.with(answer: Self.counting(to: 3)) { server in
            let url = "http://\(server.authority)/0"
            let three = HTTPHandler.make(options: Self.options(server, redirects: 3))
            #expect(await three.get(url).answer?["body"] == 3)
            let two = HTTPHandler.make(options: Self.options(server, redirects: 2))
            #expect(
                await two.get(url).failure == "for good: the server redirects more than 2 times")
        }
    }

    @Test func `a circle of redirects fails at once`() async throws {
        let circle: @Sendable (TestServer.Request) -> TestServer.Answer = {
            .reply(307, ["Location": $0.target == "/a" ? "/b" : "/a"])
        }
        try await TestServer.with(answer: circle) { server in
            let handler = HTTPHandler.make(options: Self.options(server, redirects: 1_000))
            #expect(
                await handler.get("http://\(server.authority)/a").failure
                    == "for good: the server's redirects go round in a circle")
            #expect(server.record.requests.count == 2)
        }
    }

    static let forbidden: [(location: String, reason: String)] = [
        ("http://169.254.169.254/latest/meta-data/", "169.254.169.254 isn't allowed"),
        ("http://10.0.0.1/", "10.0.0.1 is, a private address"),
        ("http://private.test/", "private.test is at 10.0.0.1, a private address"),
        ("http://link.test/", "link.test is at 169.254.169.254, a link-local address"),
        ("http://127.1/", "the server redirects to a URL that has an address that isn't"),
        ("http://me@private.test/", "the server redirects to a URL that holds a user name"),
        ("file:///etc/passwd", "the server redirects to a URL that is neither https nor http"),
        ("//other.test/", "other.test isn't allowed"),
    ]

    @Test(arguments: forbidden)
    func `each hop is checked like the first`(location: String, reason: String) async throws {
        try await TestServer.with(answer: { _ in .reply(302, ["Location": location]) }) { server in
            var options = Self.options(server, redirects: 5)
            options.allowedHosts += ["10.0.0.1", "private.test", "link.test"]
            let handler = HTTPHandler.make(options: options) { host in
                let text = host == "link.test" ? "169.254.169.254" : "10.0.0.1"
                return [IPAddress(text)].compactMap { $0 }
            }
            let failure = await handler.get("http://\(server.authority)/").failure
            #expect(failure.hasPrefix("for good: \(reason)"), "\(failure)")
            #expect(server.record.requests.count == 1)
        }
    }

    @Test func `a redirect from https to http isn't followed unless http is allowed`()
        async throws
    {
        var options = HTTPOptions(allowedHosts: ["a.test"])
        options.redirectsMax = 5
        let gate = HTTPGate(options: options) { _ in [] }
        let hop = try HTTPHop(HTTPRequest(url: "https://a.test/"), key: "k")
        let next = try #require(try hop.following(status: 301, location: "http://a.test/"))
        await #expect(throws: PermanentFailure.self) {
            try await gate.admit(next.url, attempt: 1)
        }
    }

    @Test func `a trace is handed on unless the machine sets one, and to no other origin`() throws {
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let request = HTTPRequest(url: "https://a.test/")
        #expect(try HTTPHop(request, key: "k").header("traceparent") == nil)
        let hop = try HTTPHop(request, key: "k", traceparent: trace)
        #expect(hop.header("traceparent") == trace)
        let own = HTTPRequest(url: "https://a.test/", headers: ["Traceparent": .text("own")])
        #expect(try HTTPHop(own, key: "k", traceparent: trace).header("traceparent") == "own")
        let next = try #require(try hop.following(status: 307, location: "/y"))
        #expect(next.header("traceparent") == trace)
        let other = try #require(try hop.following(status: 307, location: "https://b.test/"))
        #expect(other.header("traceparent") == nil)
    }

    @Test(arguments: [
        ("POST", 301, "GET"), ("POST", 302, "GET"), ("POST", 303, "GET"), ("POST", 307, "POST"),
        ("POST", 308, "POST"), ("PUT", 302, "PUT"), ("PUT", 303, "GET"), ("HEAD", 303, "HEAD"),
        ("GET", 301, "GET"),
    ])
    func `the method stays or becomes GET, as in RFC 9110`(
        method: String, status: Int, next: String
    ) throws {
        let request = HTTPRequest(method: method, url: "https://a.test/x", body: 1)
        let hop = try HTTPHop(request, key: "k")
        let followed = try #require(try hop.following(status: status, location: "y"))
        #expect(followed.method == next)
        #expect((followed.body == nil) == (next != method))
        let hasType = followed.headers.contains { $0.name == "content-type" }
        #expect(hasType == (next == method))
        #expect(followed.url.text == "https://a.test/y")
    }

    @Test(arguments: [
        ("/y", true), ("https://a.test:443/", true), ("https://a.test:8443/", false),
        ("http://a.test/", false), ("https://b.test/", false),
    ])
    func `another origin doesn't get headers that may be secret`(
        location: String, isTold: Bool
    ) throws {
        let request = HTTPRequest(
            url: "https://a.test/x",
            headers: [
                "Authorization": "secret", "Cookie": "secret", "X-Key": "secret", "Accept": "*",
            ])
        let hop = try HTTPHop(request, key: "k")
        let next = try #require(try hop.following(status: 307, location: location))
        let kept = next.headers.map(\.name)
        let all = ["accept", "authorization", "cookie", "idempotency-key", "x-key"]
        #expect(kept == (isTold ? all : ["accept", "idempotency-key"]))
    }

    @Test(arguments: [200, 300, 304, 305])
    func `other statuses don't redirect`(status: Int) throws {
        let hop = try HTTPHop(HTTPRequest(url: "https://a.test/"), key: "k")
        #expect(try hop.following(status: status, location: "/y") == nil)
        #expect(try hop.following(status: 302, location: nil) == nil)
    }
}
