import GroveNetwork
import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

@Suite("HTTP handler: connections go to the address that was checked", .timeLimit(.minutes(5)))
struct PinnedAddressTests {
    @Test(arguments: ["rebound.test", "localhost", "xn--bcher-kva.test"])
    func `the checked address is called, and the name isn't looked up again`(
        host: String
    ) async throws {
        // A second lookup leads to the other server on the same port: with this resolver and, for
        // `localhost`, also with the system's.
        try await TestServer.with(answer: { _ in .reply(200, [:], "wrong") }) { wrong in
            let right = "127.0.0.2"
            try await TestServer.with(
                address: right, port: wrong.port, answer: { _ in .reply(200, [:], "right") }
            ) { server in
                let resolver = ListResolver([[right], ["127.0.0.1"]])
                let authority = "\(host):\(wrong.port)"
                let handler = HTTPHandler.make(
                    options: .toward(authority), resolve: resolver.resolve)
                let result = await handler.get("http://\(authority)/")
                #expect(result.answer?["body"] == "right", "\(result)")
                #expect(resolver.names == [host])
                #expect(server.record.requests.map { $0.headers["host"] } == [[authority]])
                #expect(wrong.record.connections == 0)
            }
        }
    }

    /// Returns a loop that connects to another address, as if the first check were missing.
    private static func diverted(to address: IPAddress) -> CurlLoop {
        CurlLoop(CurlTransfer.Options(diversion: address))
    }

    private static let wrongPlace =
        "the connection leads to an address that wasn't checked"

    @Test func `no socket is made for an unchecked address`()
        async throws
    {
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            let loop = Self.diverted(to: IPAddress(127, 0, 0, 1))
            for address in [IPAddress(127, 0, 0, 2), try #require(IPAddress("2001:db8::1"))] {
                let hop = try HTTPHop(
                    HTTPRequest(url: "http://other.test:\(server.port)/"), key: "k")
                let error = await #expect(throws: HTTPFailure.self) {
                    _ = try await loop.answer(to: hop, at: address)
                }
                #expect(error?.description.hasSuffix(Self.wrongPlace) == true, "\(error)")
            }
            #expect(server.record.connections == 0)
        }
    }

    @Test func `a kept connection is checked again before a byte is written`()
        async throws
    {
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            let loop = Self.diverted(to: IPAddress(127, 0, 0, 1))
            let hop = try HTTPHop(
                HTTPRequest(url: "http://other.test:\(server.port)/"), key: "k")
            let right = IPAddress(127, 0, 0, 1)
            #expect(try await loop.answer(to: hop, at: right).status == 200)
            let wrong = IPAddress(127, 0, 0, 2)
            let error = await #expect(throws: HTTPFailure.self) {
                _ = try await loop.answer(to: hop, at: wrong)
            }
            #expect(error?.description.hasSuffix(Self.wrongPlace) == true, "\(error)")
            #expect(server.record.requests.count == 1)
            #expect(server.record.connections == 1)
        }
    }

    @Test func `a name that has moved is called at its new address, on a new connection`()
        async throws
    {
        try await TestServer.with(answer: { _ in .reply(200, [:], "old") }) { old in
            try await TestServer.with(
                address: "127.0.0.2", port: old.port, answer: { _ in .reply(200, [:], "new") }
            ) { server in
                let resolver = ListResolver([["127.0.0.1"], ["127.0.0.2"]])
                let authority = "moving.test:\(old.port)"
                let handler = HTTPHandler.make(
                    options: .toward(authority), resolve: resolver.resolve)
                #expect(await handler.get("http://\(authority)/").answer?["body"] == "old")
                #expect(await handler.get("http://\(authority)/").answer?["body"] == "new")
                #expect(server.record.connections == 1)
            }
        }
    }

    @Test func `version 6 is pinned like version 4`() async throws {
        // No program listens on this port. The error names the address.
        let port = try await TestServer.with(answer: { _ in .silence }) { $0.port }
        let handler = HTTPHandler.make(options: .toward("[::1]:\(port)"))
        let failure = await handler.get("http://[::1]:\(port)/").failure
        #expect(failure.hasPrefix("no answer from [::1]:\(port): "), "\(failure)")
        #expect(!failure.contains("wasn't checked"), "\(failure)")
    }

    @Test func `TLS asks for the name in the URL, at the address that was checked`() async throws {
        try await TestServer.with(answer: { _ in .reply(200, [:], "safe") }) { server in
            try await TestCertificate.withTLS(before: server.port) { port in
                try await withFile(TestCertificate.pem) { file in
                    let resolver = ListResolver([["127.0.0.1"]])
                    var options = HTTPOptions.toward(
                        "pinned.example:\(port)", "other.example:\(port)")
                    options.allowPlaintext = false
                    options.additionalTrustRootsFile = file
                    let handler = HTTPHandler.make(options: options, resolve: resolver.resolve)
                    let result = await handler.get("https://pinned.example:\(port)/")
                    #expect(result.answer?["body"] == "safe", "\(result)")
                    // The certificate isn't valid for this name, although the address is the same.
                    let other = await handler.get("https://other.example:\(port)/")
                    #expect(other.failure.hasPrefix("no answer from other.example"), "\(other)")
                    #expect(server.record.requests.count == 1)
                }
            }
        }
    }

    @Test func `an untrusted certificate is refused`() async throws {
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            try await TestCertificate.withTLS(before: server.port) { port in
                let resolver = ListResolver([["127.0.0.1"]])
                let handler = HTTPHandler.make(
                    options: .toward("pinned.example:\(port)"), resolve: resolver.resolve)
                let result = await handler.get("https://pinned.example:\(port)/")
                #expect(result.failure.hasPrefix("no answer from pinned.example"), "\(result)")
                #expect(result.failure.contains("certificate"), "\(result)")
                #expect(server.record.requests.isEmpty)
            }
        }
    }

    @Test func `a host that doesn't accept a connection times out`() async throws {
        let deaf = try DeafPort()
        let address = IPAddress(127, 0, 0, 1)
        let loop = CurlLoop(CurlTransfer.Options(connectTime: .milliseconds(50)))
        let hop = try HTTPHop(HTTPRequest(url: "http://deaf.test:\(deaf.port)/"), key: "k")
        let error = await #expect(throws: HTTPFailure.self) {
            _ = try await loop.answer(to: hop, at: address)
        }
        // libcurl's wording differs between versions.
        let words = error?.description.lowercased() ?? ""
        #expect(words.contains("timed out") || words.contains("timeout"), "\(words)")
        withExtendedLifetime(deaf) {}
    }
}
