import Dispatch
import Glibc
import GroveNetwork
import Synchronization

/// An HTTP/1.1 server on a loopback address and a port that the system chooses. The test decides
/// its answers. Each connection has its own thread.
final class TestServer: Sendable {
    /// The request that arrived.
    struct Request: Sendable {
        var method: String
        var target: String
        /// The values by name in lower case, each in the order of arrival.
        var headers: [String: [String]] = [:]
        var body = ""
    }

    /// How the server answers a request.
    enum Answer: Sendable {
        /// A complete answer.
        case reply(Int, [String: String] = [:], body: [UInt8] = [])
        /// A complete answer after an interim one, with another header after its body.
        case interim(Int, [String: String])
        /// The beginning of a body, then nothing.
        case beginning(announced: Int, body: [UInt8])
        /// The beginning of a body, then the end of the connection.
        case torn(announced: Int, body: [UInt8])
        /// A body without an end, sent as fast as the client reads.
        case endless
        /// Headers without an end, sent as fast as the client reads.
        case endlessHeaders
        /// No answer.
        case silence

        static func reply(_ status: Int, _ headers: [String: String] = [:], _ text: String) -> Self
        {
            .reply(status, headers, body: Array(text.utf8))
        }
    }

    /// The requests and connections so far.
    struct Record: Sendable {
        var requests: [Request] = []
        var connections = 0
        var bytesSent = 0
    }

    /// The error of a socket.
    struct Failure: Error {
        let call: String
        let code = errno
    }

    private let listener: Int32
    private let answer: @Sendable (Request) -> Answer
    private let state = Mutex(Record())
    /// The open connections; `nil` after the server has ended.
    private let open = Mutex<Set<Int32>?>([])
    private let closed = AsyncStream<Void>.makeStream()
    private let arrived = AsyncStream<Void>.makeStream()

    let port: Int

    var record: Record { state.withLock { $0 } }

    /// The name and port, as written in a URL and in a pattern.
    var authority: String { "127.0.0.1:\(port)" }

    /// Runs `body` with a server.
    static func with<Result>(
        address: String = "127.0.0.1", port: Int = 0,
        answer: @escaping @Sendable (Request) -> Answer,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let server = try TestServer(address, port, answer)
        defer { server.close() }
        return try await body(server)
    }

    private init(
        _ host: String, _ wanted: Int, _ answer: @escaping @Sendable (Request) -> Answer
    ) throws {
        (listener, port) = try TestSocket.listen(host: host, port: wanted)
        self.answer = answer
        DispatchQueue(label: "test-server.accept").async { [self] in
            while let connection = TestSocket.accept(listener) {
                let isOpen = open.withLock { $0?.insert(connection).inserted == true }
                guard isOpen else { break }
                state.withLock { $0.connections += 1 }
                DispatchQueue(label: "test-server.\(connection)").async { [self] in
                    serve(connection)
                    open.withLock { _ = $0?.remove(connection) }
                    Glibc.close(connection)
                    closed.continuation.yield()
                }
            }
            Glibc.close(listener)
        }
    }

    private func close() {
        // Ends calls that wait in `accept` and `read`.
        shutdown(listener, Int32(SHUT_RDWR))
        open.withLock { open in
            for connection in open ?? [] { shutdown(connection, Int32(SHUT_RDWR)) }
            open = nil
        }
    }

    /// Waits until a connection is closed.
    func connectionClosed() async { for await _ in closed.stream { return } }

    /// Waits until a request has arrived.
    func requestArrived() async { for await _ in arrived.stream { return } }

    // MARK: A connection

    private func serve(_ connection: Int32) {
        var reader = TestSocket.Reader(descriptor: connection)
        while let request = Self.request(&reader) {
            state.withLock { $0.requests.append(request) }
            arrived.continuation.yield()
            guard act(answer(request), request, connection) else { return }
        }
    }

    private static func request(_ reader: inout TestSocket.Reader) -> Request? {
        guard let start = reader.line() else { return nil }
        let words = start.split(separator: " ")
        guard words.count == 3 else { return nil }
        var request = Request(method: String(words[0]), target: String(words[1]))
        while let line = reader.line(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            request.headers[parts[0].lowercased(), default: []].append(value)
        }
        let count = request.headers["content-length"]?.first.flatMap { Int($0) } ?? 0
        guard let body = reader.bytes(count) else { return nil }
        request.body = String(decoding: body, as: UTF8.self)
        return request
    }

    /// Sends an answer. Returns whether another request may follow.
    private func act(_ answer: Answer, _ request: Request, _ connection: Int32) -> Bool {
        switch answer {
        case .reply(let status, let headers, let body):
            return send(head(status, headers, count: body.count), connection)
                && send(body, connection)
        case .interim(let status, let headers):
            return send("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n", connection)
                && send(
                    "HTTP/1.1 \(status) Fine\r\nTransfer-Encoding: chunked\r\n"
                        + headers.map { "\($0.key): \($0.value)\r\n" }.joined()
                        + "\r\n1\r\n7\r\n0\r\nX-Late: 1\r\n\r\n", connection)
        case .beginning(let announced, let body):
            _ = send(head(200, [:], count: announced), connection)
            _ = send(body, connection)
            return wait(connection)
        case .torn(let announced, let body):
            _ = send(head(200, [:], count: announced), connection)
            _ = send(body, connection)
            return false
        case .endless:
            let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
            _ = send("HTTP/1.1 200 OK\r\n\r\n", connection)
            while send(part, connection) {}
            return false
        case .endlessHeaders:
            let part = String(repeating: "X-Filler: 0123456789\r\n", count: 500)
            _ = send("HTTP/1.1 200 OK\r\n", connection)
            while send(part, connection) {}
            return false
        case .silence:
            return wait(connection)
        }
    }

    private func head(_ status: Int, _ headers: [String: String], count: Int) -> String {
        let hasLength = headers.keys.contains { $0.lowercased() == "content-length" }
        let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }
        return "HTTP/1.1 \(status) Answer\r\n" + lines.joined()
            + (hasLength ? "" : "Content-Length: \(count)\r\n") + "\r\n"
    }

    private func send(_ text: String, _ connection: Int32) -> Bool {
        send(Array(text.utf8), connection)
    }

    private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        guard TestSocket.send(bytes, to: connection) else { return false }
        state.withLock { $0.bytesSent += bytes.count }
        return true
    }

    /// Sends nothing more until the client has closed.
    private func wait(_ connection: Int32) -> Bool {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        return false
    }
}
