import GroveNetwork

@testable import GroveClient

/// An address of this machine that doesn't answer attempts to connect, as behind a broken route:
/// the queue of unaccepted connections is full.
final class SilentAddress {
    let endpoint: SocketAddress
    private let sockets: [Socket]

    init() throws {
        let (listener, port) = try FakeServer.listen(backlog: 0)
        endpoint = .loopbackV4(port: port)
        var sockets = [Socket(owning: listener)]
        for _ in 0..<4 { sockets.append(try Socket.connecting(to: endpoint)) }
        self.sockets = sockets
    }
}
