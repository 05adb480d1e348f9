import Glibc
import GroveNetwork

/// A port that accepts no connections: its queue is full, and the system doesn't answer more.
final class DeafPort {
    let port: Int
    private var descriptors: [Int32] = []

    init() throws {
        let listener: Int32
        (listener, port) = try TestSocket.listen(host: "127.0.0.1", port: 0, backlog: 0)
        descriptors.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The first connection is established when this returns. The others fill the queue.
        for number in 0..<4 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            descriptors.append(client)
            if number > 0 { _ = fcntl(client, F_SETFL, O_NONBLOCK) }
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, length)
                }
            }
            guard code == 0 || number > 0 else { throw TestServer.Failure(call: "connect") }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
