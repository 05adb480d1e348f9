import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

@Suite("HTTP handler: limits", .timeLimit(.minutes(5)))
struct HTTPLimitTests {
    private static let tooLarge =
        "for good: the server's answer has more than 1048576 bytes"

    @Test func `an endless answer is refused after a mebibyte, and closed`()
        async throws
    {
        try await TestServer.with(answer: { _ in .endless }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            #expect(await handler.get("http://\(server.authority)/").failure == Self.tooLarge)
            await server.connectionClosed()
            // The client read less, but the buffers of both ends also hold bytes.
            #expect(server.record.bytesSent < 32 << 20)
        }
    }

    @Test func `an answer that announces too much isn't read`() async throws {
        try await TestServer.with(
            answer: { _ in .beginning(announced: 100 << 20, body: Array("x".utf8)) }
        ) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            #expect(await handler.get("http://\(server.authority)/").failure == Self.tooLarge)
            await server.connectionClosed()
        }
    }

    @Test func `headers without an end are refused`() async throws {
        try await TestServer.with(answer: { _ in .endlessHeaders }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            let failure = await handler.get("http://\(server.authority)/").failure
            #expect(
                failure == "for good: the server's answer has more than 65536 bytes of headers")
            await server.connectionClosed()
        }
    }

    @Test func `the bound of an answer is the configured one, to the byte`() async throws {
        try await TestServer.with(answer: { _ in .reply(200, [:], "12345") }) { server in
            var options = HTTPOptions.toward(server.authority)
            options.responseBytesMax = 5
            let url = "http://\(server.authority)/"
            #expect(await HTTPHandler.make(options: options).get(url).answer?["body"] == 12345)
            options.responseBytesMax = 4
            #expect(
                await HTTPHandler.make(options: options).get(url).failure
                    == "for good: the server's answer has more than 4 bytes")
        }
    }

    @Test func `an interrupted answer is a failed attempt, not a short answer`() async throws {
        try await TestServer.with(
            answer: { _ in .torn(announced: 100, body: Array("12345".utf8)) }
        ) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            let failure = await handler.get("http://\(server.authority)/").failure
            #expect(failure.hasPrefix("the answer of \(server.authority) broke off: "))
        }
    }

    @Test func `a refused connection is a failed attempt`() async throws {
        let port = try await TestServer.with(answer: { _ in .silence }) { $0.port }
        let handler = HTTPHandler.make(options: .toward("127.0.0.1:\(port)"))
        let failure = await handler.get("http://127.0.0.1:\(port)/").failure
        #expect(failure.hasPrefix("no answer from 127.0.0.1:\(port)"))
    }

    @Test(arguments: [true, false])
    func `a missing or incomplete answer is a failed attempt`(
        isBegun: Bool
    ) async throws {
        let answer: TestServer.Answer =
            isBegun ? .beginning(announced: 10, body: Array("x".utf8)) : .silence
        try await TestServer.with(answer: { _ in answer }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            let result = await handler.call(
                HTTPRequest(url: "http://\(server.authority)/", timeoutMilliseconds: 50))
            #expect(result.failure == "the server took longer than 0.05 seconds")
        }
    }

    @Test func `the time limit is the request's, up to the configured one`()
        async throws
    {
        try await TestServer.with(answer: { _ in .silence }) { server in
            var options = HTTPOptions.toward(server.authority)
            options.timeout = .milliseconds(40)
            options.timeoutMax = .milliseconds(60)
            let handler = HTTPHandler.make(options: options)
            #expect(handler.timeout == .milliseconds(60))
            let url = "http://\(server.authority)/"
            #expect(
                await handler.get(url).failure == "the server took longer than 0.04 seconds")
            let patient = HTTPRequest(url: url, timeoutMilliseconds: 60_000)
            #expect(
                await handler.call(patient).failure == "the server took longer than 0.06 seconds")
        }
    }

    @Test func `the number of running requests is the configured one, 64 by default`() {
        var options = HTTPOptions()
        #expect(HTTPHandler.make(options: options).concurrencyMax == 64)
        options.concurrencyMax = 3
        #expect(HTTPHandler.make(options: options).concurrencyMax == 3)
        #expect(options.timeout == .seconds(30) && options.timeoutMax == .seconds(300))
    }

    @Test func `requests to one host share its places, however its name is spelled`() throws {
        var options = HTTPOptions()
        #expect(HTTPHandler.make(options: options).shares?.runsMax == 16)
        options.perHostMax = 3
        let shares = try #require(HTTPHandler.make(options: options).shares)
        #expect(shares.runsMax == 3)
        for url in ["https://a.test/", "http://A.Test:8080/x?y", "HTTPS://a.test#z"] {
            #expect(shares.name(["url": .string(url)]) == "a.test")
        }
        #expect(shares.name(["url": "https://[::1]/"]) == "::1")
        for argument in [["url": "a.test"], ["url": 7], [:], "https://a.test/"] as [JSONValue] {
            #expect(shares.name(argument) == nil)
        }
    }

    @Test func `the time limit covers looking the name up`() async throws {
        let handler = HTTPHandler.make(options: .toward("slow.test")) { _ in
            try await untilCancelled()
            return []
        }
        let result = await handler.call(
            HTTPRequest(url: "http://slow.test/", timeoutMilliseconds: 30))
        #expect(result.failure == "the server took longer than 0.03 seconds")
    }

    @Test func `a cancelled request closes its connection`() async throws {
        try await TestServer.with(answer: { _ in .silence }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            let url = "http://\(server.authority)/"
            let task = Task { await handler.get(url) }
            await server.requestArrived()
            task.cancel()
            #expect(await task.value.failure == "cancelled")
            await server.connectionClosed()
        }
    }
}
