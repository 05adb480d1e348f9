import Glibc
import Testing

@testable import GroveServer

@Suite("Socket")
struct SocketTests {
    @Test func `a listening socket knows its port; nobody waits at first`() throws {
        let socket = try Socket.listening(on: .loopbackV4(port: 0), backlog: 8)
        #expect(try socket.localAddress().port > 0)
        guard case .none = socket.accept() else {
            Issue.record("somebody was accepted")
            return
        }
    }

    @Test func `two sockets can't listen on one address`() throws {
        let socket = try Socket.listening(on: .loopbackV4(port: 0), backlog: 8)
        let address = try socket.localAddress()
        let error = #expect(throws: SocketError.self) {
            try Socket.listening(on: address, backlog: 8)
        }
        #expect(error == SocketError(call: "bind", code: EADDRINUSE))
        #expect(error?.description == "bind: Address already in use")
        #expect(error?.isMissingFamily == false)
    }

    @Test func `bytes go through, and the end is seen`() throws {
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

    @Test func `a peer that is gone is an answer, not a signal`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let socket = Socket(owning: ends[0])
        close(ends[1])
        guard case .broken = [UInt8(1)].withUnsafeBytes({ socket.write($0) }) else {
            throw SocketError(call: "write", code: 0)
        }
    }

    @Test func `the reserve is held, given up, and taken again`() {
        var reserve = ReserveDescriptor()
        reserve.release()
        reserve.release()
        reserve.acquire()
        reserve.acquire()
    }
}
