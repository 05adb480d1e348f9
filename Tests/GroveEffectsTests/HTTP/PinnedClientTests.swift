import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

@Suite("HTTP handler: connections go to the address that was checked", .timeLimit(.minutes(5)))
struct PinnedClientTests {
    @Test(arguments: ["rebound.test", "localhost", "xn--bcher-kva.test"])
    func `the checked address is called, and the name isn't asked for again`(
        host: String
    ) async throws {
        // Who asks again gets to the other server, of the same port: from this resolver, and for
        // `localhost` from the system's too.
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

    @Test func `a connection to another address than the checked one is closed unused`()
        async throws
    {
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            // As if the override of the name's address had been lost on the way.
            let place = PinnedPlace(host: "other.test", address: IPAddress(127, 0, 0, 2))
            let pinned = PinnedClient(place, options: HTTPOptions())
            let request = HTTPClientRequest(url: "http://localhost:\(server.port)/")
            await #expect(throws: PinnedClient.WrongPeer.self) {
                _ = try await pinned.client.execute(request, timeout: .seconds(10))
            }
            #expect(server.record.requests.isEmpty)
        }
    }

    @Test func `TLS asks for the name in the URL, at the address that was checked`() async throws {
        let tls = try TestCertificate.serverContext()
        try await TestServer.with(tls: tls, answer: { _ in .reply(200, [:], "safe") }) { server in
            try await withFile(TestCertificate.pem) { file in
                let resolver = ListResolver([["127.0.0.1"]])
                var options = HTTPOptions.toward(
                    "pinned.example:\(server.port)", "other.example:\(server.port)")
                options.allowPlaintext = false
                options.additionalTrustRootsFile = file
                let handler = HTTPHandler.make(options: options, resolve: resolver.resolve)
                let result = await handler.get("https://pinned.example:\(server.port)/")
                #expect(result.answer?["body"] == "safe", "\(result)")
                // The certificate isn't for this one, though it is the same address.
                let other = await handler.get("https://other.example:\(server.port)/")
                #expect(other.failure.hasPrefix("no answer from other.example"), "\(other)")
                #expect(server.record.requests.count == 1)
            }
        }
    }

    @Test func `a certificate that nobody vouches for is refused`() async throws {
        let tls = try TestCertificate.serverContext()
        try await TestServer.with(tls: tls, answer: { _ in .reply(200) }) { server in
            let resolver = ListResolver([["127.0.0.1"]])
            let handler = HTTPHandler.make(
                options: .toward("pinned.example:\(server.port)"), resolve: resolver.resolve)
            let result = await handler.get("https://pinned.example:\(server.port)/")
            #expect(result.failure.hasPrefix("no answer from pinned.example"), "\(result)")
            #expect(server.record.requests.isEmpty)
        }
    }

    @Test func `who doesn't take a connection is given up in time`() async throws {
        let deaf = try DeafPort()
        let place = PinnedPlace(host: "deaf.test", address: IPAddress(127, 0, 0, 1))
        let pinned = PinnedClient(
            place, options: HTTPOptions(), connectTime: .milliseconds(50))
        let error = await #expect(throws: HTTPClientError.self) {
            _ = try await pinned.client.execute(
                HTTPClientRequest(url: "http://deaf.test:\(deaf.port)/"), timeout: .minutes(4))
        }
        #expect(error == .connectTimeout)
        withExtendedLifetime(deaf) {}
    }
}
