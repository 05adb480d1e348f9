import Glibc

@testable import GroveClient

/// An address of this machine that answers no attempt to connect, as behind a broken route: the
/// queue of connections that nobody accepts is full.
final class SilentAddress {
    let endpoint: Socket.Endpoint
    private let sockets: [Int32]

    init() throws {
        let (listener, port) = try FakeServer.listen(backlog: 0)
        let endpoints = try Socket.endpoints(of: .tcp(host: "127.0.0.1", port: port)).get()
        endpoint = endpoints[0]
        sockets =
            [listener]
            + (0..<4).compactMap { _ in
                try? Socket.connect(to: endpoints[0]).get()
            }
    }

    deinit { for socket in sockets { close(socket) } }
}
