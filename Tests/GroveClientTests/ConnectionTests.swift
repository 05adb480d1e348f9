import Dispatch
import Foundation
import GroveNetwork
import Testing

@testable import GroveClient

@Suite("Connection", .timeLimit(.minutes(1)))
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
            #expect(connection.read(line: { _ in }) == "the server closed the connection")
            connection.enqueue([1])
            #expect(connection.flush() != nil)
        }
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
        try server.finish()
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
