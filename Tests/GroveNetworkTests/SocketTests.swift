import Glibc
import Testing

@testable import GroveNetwork

@Suite("Socket")
struct SocketTests {
    @Test func `bytes and the end are transferred`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        for fd in ends { _ = fcntl(fd, F_SETFL, O_NONBLOCK) }
        let (left, right) = (Socket(owning: ends[0]), Socket(owning: ends[1]))
        var buffer = [UInt8](repeating: 0, count: 16)
        func read() -> Socket.Transfer { buffer.withUnsafeMutableBytes { right.read(into: $0) } }
        guard case .wouldBlock = read() else { throw SocketError(call: "read", code: 0) }
        guard case .bytes(3) = [1, 2, 3].map(UInt8.init).withUnsafeBytes({ left.write($0) }),
            case .bytes(3) = read()
        else { throw SocketError(call: "write", code: 0) }
        #expect(buffer.prefix(3) == [1, 2, 3])
        left.shutdownWrite()
        guard case .end = read() else { throw SocketError(call: "read", code: 0) }
    }

    @Test func `a closed peer is a result, not a signal`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let socket = Socket(owning: ends[0])
        close(ends[1])
        guard case .broken = [UInt8(1)].withUnsafeBytes({ socket.write($0) }) else {
            throw SocketError(call: "write", code: 0)
        }
    }

    @Test func `bytes that the peer hasn't taken are unconfirmed`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (left, right) = (Socket(owning: ends[0]), Socket(owning: ends[1]))
        #expect(left.unconfirmedBytes == 0)
        guard case .bytes = [UInt8](repeating: 1, count: 1_000).withUnsafeBytes(left.write) else {
            throw SocketError(call: "write", code: 0)
        }
        #expect(try #require(left.unconfirmedBytes) >= 1_000)
        var buffer = [UInt8](repeating: 0, count: 1_000)
        guard case .bytes(1_000) = buffer.withUnsafeMutableBytes({ right.read(into: $0) }) else {
            throw SocketError(call: "read", code: 0)
        }
        #expect(left.unconfirmedBytes == 0)
    }

    /// Returns a socket that listens on a free loopback port, and its address.
    private func listener() throws -> (socket: Socket, address: SocketAddress) {
        let socket = try Socket(family: AF_INET)
        let wanted = SocketAddress.loopbackV4(port: 0)
        try #require(wanted.withSystemAddress { bind(socket.fd, $0, $1) } == 0)
        try #require(listen(socket.fd, 8) == 0)
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket.fd, $0, &length)
            }
        }
        try #require(status == 0)
        return (socket, try #require(SocketAddress(storage)))
    }

    private func waitUntilWritable(_ socket: Socket) {
        var descriptor = pollfd(fd: socket.fd, events: Int16(POLLOUT), revents: 0)
        #expect(poll(&descriptor, 1, 60_000) == 1)
    }

    @Test func `an attempt to connect succeeds`() throws {
        let (listener, address) = try listener()
        let socket = try Socket.connecting(to: address)
        waitUntilWritable(socket)
        #expect(socket.connectError == nil)
        withExtendedLifetime(listener) {}
    }

    @Test func `an attempt to connect without a listener fails`() throws {
        // After the listener is closed, no program listens on the port.
        let address = try listener().address
        do throws(SocketError) {
            let socket = try Socket.connecting(to: address)
            waitUntilWritable(socket)
            #expect(socket.connectError == SocketError(call: "connect", code: ECONNREFUSED))
        } catch {
            #expect(error.code == ECONNREFUSED)
        }
    }

    @Test func `a Unix socket that isn't there can't be connected to`() {
        let error = #expect(throws: SocketError.self) {
            try Socket.connecting(to: .unix(path: "/nonexistent/grove.sock"))
        }
        #expect(error?.reason == "No such file or directory")
        #expect(error?.description == "connect: No such file or directory")
        #expect(error?.isMissingFamily == false)
    }
}
