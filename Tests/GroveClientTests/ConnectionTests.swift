import Dispatch
import Foundation
import GroveNetwork
import GroveTestSupport
import Testing

@testable import GroveClient

@Suite("Connection", .ownThreads, .timeLimit(.minutes(1)))
struct ConnectionTests {
    private func pair() -> (Socket, Socket) {
        var fds: [Int32] = [0, 0]
        let status = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &fds)
        precondition(status == 0, "the system has no sockets left")
        for fd in fds { _ = fcntl(fd, F_SETFL, O_NONBLOCK) }
        return (Socket(owning: fds[0]), Socket(owning: fds[1]))
    }

    @Test func `bytes are written in order, as the socket accepts them`() {
        let (near, far) = pair()
        let queue = DispatchQueue(label: "grove.test")
        let writable = DispatchSemaphore(value: 0)
        queue.sync {
            let connection = Connection(
                near, queue: queue, lineBytesMax: 100, onReadable: {},
                onWritable: { writable.signal() })
            connection.stopAwaitingWritable()
            let bytes = (0..<(1 << 22)).map { UInt8(truncatingIfNeeded: $0) }
            connection.enqueue(Array(bytes.prefix(10)))
            connection.enqueue(Array(bytes.dropFirst(10)))
            var received: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while received.count < bytes.count {
                #expect(connection.flush() == nil)
                while case .bytes(let count) = buffer.withUnsafeMutableBytes({
                    far.read(into: $0)
                }) {
                    received += buffer[..<count]
                }
            }
            #expect(received == bytes)
            #expect(connection.writtenBytes == connection.queuedBytes)
        }
    }

    @Test func `the end of the other side is reported`() {
        let near = pair().0
        let queue = DispatchQueue(label: "grove.test")
        queue.sync {
            let connection = Connection(
                near, queue: queue, lineBytesMax: 100, onReadable: {}, onWritable: {})
            guard case .ended(let reason) = connection.read(line: { _ in }) else {
                Issue.record("the end wasn't read")
                return
            }
            #expect(reason == "the server closed the connection")
            connection.enqueue([1])
            #expect(connection.flush() != nil)
        }
    }

    /// A Unix socket hangs up as soon as the other side closes, and Dispatch reports that once.
    @Test func `the end behind bytes that weren't read yet is noticed at once`() async throws {
        let folder = try TemporaryFolder()
        let state = String(repeating: "x", count: 150_000)
        let server = try FakeServer(path: folder.path("s")) { connection in
            try connection.greet()
            let get = try connection.request("get")
            _ = try connection.request("stop")
            try connection.reply(get, #""state":"\#(state)""#)
        }
        let client = Client(options: options(server, timeout: .seconds(30), retry: .never))
        let get = client.submit(.about("c/a", "get"))
        let stop = client.submit(.about("c/a", "stop"))
        _ = try await get.value
        let error = await failure { try await stop.value }
        #expect(error?.code == "CONNECTION_LOST")
        try await server.finish()
    }

    @Test func `an address without an answer leaves the next its share of the time`()
        async throws
    {
        let silent = try SilentAddress()
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("ping"))
        }
        let found = try [silent.endpoint] + server.address.endpoints()
        let client = Client(
            options: ClientOptions(
                server: .tcp(host: "two.example", port: 7400), connectTimeout: .seconds(4),
                requestTimeout: .seconds(30), retry: .never),
            lookUp: { _ in found })
        try await client.ping()
        try await server.finish()
    }

    @Test func `a connection without any answer fails in time`() async throws {
        let silent = try SilentAddress()
        let found = [silent.endpoint, silent.endpoint]
        let client = Client(
            options: ClientOptions(
                connectTimeout: .milliseconds(100), requestTimeout: .seconds(30), retry: .never),
            lookUp: { _ in found })
        let error = await failure { try await client.ping() }
        #expect(error?.code == "UNREACHABLE", "\(String(describing: error))")
    }

    @Test func `looks addresses up`() throws {
        let local = try ServerAddress.tcp(host: "127.0.0.1", port: 1).endpoints()
        #expect(local == [SocketAddress("127.0.0.1:1")])
        #expect(try ServerAddress.unix(path: "/tmp/x").endpoints() == [.unix(path: "/tmp/x")])
        let failure = #expect(throws: HostLookup.Failure.self) {
            try ServerAddress.tcp(host: "no host", port: 1).endpoints()
        }
        #expect(failure?.description.hasPrefix("no host: ") == true)
    }
}
