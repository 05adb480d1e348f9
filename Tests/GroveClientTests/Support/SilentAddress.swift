import Glibc

@testable import GroveClient

/// An address of this machine that answers no attempt to connect, as behind a broken route: the
/// queue of connections that nobody accepts is full.
final class SilentAddress {
    let endpoint: Socket.Endpoint
    private let sockets: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                guard let base = address.baseAddress else { return Int32(-1) }
                return bind(listener, base, length) | listen(listener, 0)
                    | getsockname(listener, base, &length)
            }
        }
        guard status == 0 else { throw FakeServerError(text: "no port to listen on") }
        let port = UInt16(bigEndian: address.sin_port)
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
