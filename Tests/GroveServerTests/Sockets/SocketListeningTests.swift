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

    @Test func `the reserve is held, released, and held again`() {
        var reserve = ReserveDescriptor()
        reserve.release()
        reserve.release()
        reserve.acquire()
        reserve.acquire()
    }
}
