import Glibc

/// A port on which nobody takes a connection: as many wait as may, and the system doesn't answer
/// further ones.
final class DeafPort {
    struct Failure: Error {
        let call: String
        let code = errno
    }

    let port: UInt16
    private var descriptors: [Int32] = []

    init() throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptors.append(listener)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 0) == 0 else {
                    return Int32(-1)
                }
                return getsockname(listener, address, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard code == 0 else { throw Failure(call: "listen") }
        // The first one has come through when this returns; those behind it fill what is left.
        for number in 0..<4 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            descriptors.append(client)
            if number > 0 { _ = fcntl(client, F_SETFL, O_NONBLOCK) }
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, length)
                }
            }
            guard code == 0 || number > 0 else { throw Failure(call: "connect") }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
