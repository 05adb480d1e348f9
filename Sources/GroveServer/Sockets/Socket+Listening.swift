import Glibc
import GroveNetwork

/// Listening sockets, and the sockets accepted from them.
extension Socket {
    /// A socket that listens on `address`, which isn't a path. Non-blocking, closed on exec.
    static func listening(on address: SocketAddress, backlog: Int32) throws(SocketError) -> Socket {
        precondition(!address.isUnix, "a Unix socket has a file: UnixSocketFile")
        let socket = try Socket(family: address.family)
        try socket.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        // Accepted sockets inherit it. A kernel without it works too, and holds more.
        try? socket.setOption(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, kernelUnsentBytesMax)
        if address.family == AF_INET6 {
            try socket.setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        let bound = address.withSystemAddress { bind(socket.fd, $0, $1) }
        guard bound == 0 else { throw .last("bind") }
        guard listen(socket.fd, backlog) == 0 else { throw .last("listen") }
        return socket
    }

    enum Accepted {
        /// A client, and its group for counting.
        case socket(Socket, PeerGroup?)
        /// No client waits.
        case none
        /// No descriptor, or no memory for one.
        case exhausted
        /// The client was gone before it was accepted.
        case gone
    }

    func accept() -> Accepted {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let fd = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.accept(self.fd, $0, &length)
            }
        }
        guard fd >= 0 else {
            switch errno {
            case EAGAIN, EWOULDBLOCK: return .none
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .gone
            }
        }
        let socket = Socket(owning: fd)
        do {
            try socket.makeNonBlocking()
        } catch {
            return .gone
        }
        return .socket(socket, SocketAddress(storage).flatMap(PeerGroup.init))
    }

    func localAddress() throws(SocketError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(fd, $0, &length)
            }
        }
        guard result == 0, let address = SocketAddress(storage) else { throw .last("getsockname") }
        return address
    }

    /// Sends small lines at once, and lets the kernel close the connection when the peer
    /// acknowledges nothing for this time.
    func setConnectionOptions(userTimeoutMilliseconds: Int32) {
        setNoDelay()
        // A connection works without it.
        try? setOption(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, userTimeoutMilliseconds)
    }
}
