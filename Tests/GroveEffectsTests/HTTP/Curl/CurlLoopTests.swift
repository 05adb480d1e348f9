import Foundation
import GroveNetwork
import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

@Suite("HTTP handler: libcurl", .timeLimit(.minutes(5)))
struct CurlLoopTests {
    private static let here = IPAddress(127, 0, 0, 1)

    @Test func `without the library, a request fails with advice, and may be retried`()
        async
    {
        var options = HTTPOptions.toward("127.0.0.1:1")
        #expect(HTTPHandler.missingLibrary(options: options) == nil)
        options.libraryNames = ["libnone-1.so.4", "libnone-2.so.4"]
        let handler = HTTPHandler.make(options: options)
        for _ in 1...2 {
            let failure = await handler.get("http://127.0.0.1:1/").failure
            #expect(
                failure.hasPrefix(
                    "requests over HTTP need libcurl 7.80 or newer: install it "
                        + "(on Debian and Ubuntu: apt-get install libcurl4); libnone-1.so.4"))
            #expect(failure.contains("libnone-2.so.4"))
            #expect(failure == HTTPHandler.missingLibrary(options: options))
        }
    }

    @Test func `a library that isn't libcurl is reported with the missing function`() {
        let error = #expect(throws: CurlLibrary.Missing.self) {
            try CurlLibrary.load(["libm.so.6"])
        }
        #expect(error?.reason == "libm.so.6 has no working curl_global_init")
    }

    @Test func `the library is loaded once`() throws {
        let first = try CurlLibrary.load()
        let second = try CurlLibrary.load(["libnone.so.4"] + CurlLibrary.names)
        #expect(first.functions == second.functions)
    }

    @Test func `connections are kept for later requests, without wake-ups`()
        async throws
    {
        CurlWaker().wake()
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            let loop = CurlLoop(CurlTransfer.Options(idleTime: .seconds(3_600)))
            #expect(await !loop.isOpen)
            let hop = try HTTPHop(HTTPRequest(url: "http://\(server.authority)/"), key: "k")
            for _ in 1...CurlMulti.connectionsMax {
                #expect(try await loop.answer(to: hop, at: Self.here).status == 200)
            }
            #expect(await loop.isOpen)
            #expect(server.record.connections == 1)
        }
    }

    @Test func `unused connections are closed, and opened again`() async throws {
        try await TestServer.with(answer: { _ in .reply(200) }) { server in
            let loop = CurlLoop(CurlTransfer.Options(idleTime: .milliseconds(20)))
            let hop = try HTTPHop(HTTPRequest(url: "http://\(server.authority)/"), key: "k")
            for count in 1...2 {
                #expect(try await loop.answer(to: hop, at: Self.here).status == 200)
                await server.connectionClosed()
                #expect(server.record.connections == count)
            }
            #expect(await !loop.isOpen)
        }
    }

    @Test func `a request that fails leaves nothing open`() async throws {
        // The library accepts no text of more than 8,000,000 bytes.
        let file = String(repeating: "x", count: 9_000_000)
        let loop = CurlLoop(
            CurlTransfer.Options(idleTime: .milliseconds(20), additionalTrustRootsFile: file))
        let hop = try HTTPHop(HTTPRequest(url: "http://127.0.0.1:1/"), key: "k")
        let failure = await #expect(throws: HTTPFailure.self) {
            try await loop.answer(to: hop, at: Self.here)
        }
        #expect(failure?.description.hasPrefix("libcurl doesn't take the request") == true)
        while await loop.isOpen { await Task.yield() }
    }

    @Test func `many requests run at once, and all are answered`() async throws {
        try await TestServer.with(answer: { .reply(200, [:], $0.target.dropFirst() + "") }) {
            server in
            let loop = CurlLoop(CurlTransfer.Options())
            let bodies = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 1...200 {
                    group.addTask {
                        let request = HTTPRequest(url: "http://\(server.authority)/\(number)")
                        let hop = try HTTPHop(request, key: "k")
                        let answer = try await loop.answer(to: hop, at: Self.here)
                        return String(decoding: answer.body, as: UTF8.self)
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(bodies == Set((1...200).map(String.init)))
            #expect(server.record.requests.count == 200)
        }
    }

    @Test func `cancelling one request leaves the others alone`() async throws {
        try await TestServer.with(answer: { $0.target == "/" ? .reply(200) : .silence }) { server in
            let loop = CurlLoop(CurlTransfer.Options())
            let silent = try HTTPHop(
                HTTPRequest(url: "http://\(server.authority)/silent"), key: "k")
            let tasks = (1...3).map { _ in
                Task { try await loop.answer(to: silent, at: Self.here) }
            }
            let hop = try HTTPHop(HTTPRequest(url: "http://\(server.authority)/"), key: "k")
            for task in tasks {
                #expect(try await loop.answer(to: hop, at: Self.here).status == 200)
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            // Canceled before it starts.
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await loop.answer(to: hop, at: Self.here)
            }
            await #expect(throws: CancellationError.self) { try await late.value }
            #expect(try await loop.answer(to: hop, at: Self.here).status == 200)
        }
    }

    @Test func `proxies that the environment names aren't used`() async {
        // Runs in a separate process, because the environment applies to the whole process.
        await #expect(processExitsWith: .success) {
            try await TestServer.with(answer: { _ in .reply(200) }) { server in
                try await TestServer.with(answer: { _ in .reply(200, [:], "proxy") }) { proxy in
                    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
                        setenv(name, "http://\(proxy.authority)", 1)
                    }
                    let handler = HTTPHandler.make(options: .toward(server.authority))
                    let result = await handler.get("http://\(server.authority)/")
                    #expect(result.answer?["body"] == .null)
                    #expect(proxy.record.connections == 0)
                    #expect(server.record.requests.count == 1)
                }
            }
        }
    }

    @Test func `cookies that one answer sets aren't sent with the next request`() async throws {
        let cookie = ["Set-Cookie": "a=b; Path=/"]
        try await TestServer.with(answer: { _ in .reply(200, cookie) }) { server in
            let handler = HTTPHandler.keepingConnections(options: .toward(server.authority))
            for _ in 1...2 { _ = await handler.get("http://\(server.authority)/") }
            #expect(server.record.requests.map { $0.headers["cookie"] } == [nil, nil])
            #expect(server.record.connections == 1)
        }
    }

    @Test func `a broken connection among those that are kept doesn't fail the next request`()
        async throws
    {
        let answers = ["Connection": "close"]
        try await TestServer.with(answer: { _ in .reply(200, answers) }) { server in
            let handler = HTTPHandler.make(options: .toward(server.authority))
            for _ in 1...3 {
                #expect(
                    await handler.get("http://\(server.authority)/").answer?["status"] == 200)
            }
        }
    }
}
