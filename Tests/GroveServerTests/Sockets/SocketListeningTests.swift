import Glibc
import GroveNetwork
import Testing

@testable import GroveServer

@Suite("Listening sockets")
struct SocketListeningTests {
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

    @Test func `the kernel holds little for a client that doesn't read`() throws {
        let listening = try Socket.listening(on: .loopbackV4(port: 0), backlog: 8)
        let client = try Socket(family: AF_INET)
        // As small as the kernel makes it, so that nearly nothing is under way.
        try client.setOption(SOL_SOCKET, SO_RCVBUF, 1)
        let address = try listening.localAddress()
        _ = address.withSystemAddress { connect(client.fd, $0, $1) }
        var accepted: Socket?
        for _ in 0..<1_000 where accepted == nil {
            if case .socket(let socket, _) = listening.accept() { accepted = socket }
            usleep(1_000)
        }
        let server = try #require(accepted)
        let piece = [UInt8](repeating: 0, count: 16 << 10)
        var held = 0
        while case .bytes(let count) = piece.withUnsafeBytes({ server.write($0) }) { held += count }
        let most = Int(Socket.kernelUnsentBytesMax)
        #expect(held >= most / 2)
        // One segment of loopback may go past it.
        #expect(held < most + (96 << 10))
    }

    @Test func `the reserve is held, released, and held again`() {
        var reserve = ReserveDescriptor()
        reserve.release()
        reserve.release()
        reserve.acquire()
        reserve.acquire()
    }
}
