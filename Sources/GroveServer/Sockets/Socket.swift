import Glibc

/// System calls on stream sockets, and nothing else. The descriptor is closed with the last
/// reference to it, so it lives as long as any Dispatch source over it.
final class Socket: Sendable {
    let fd: Int32

    /// Takes a descriptor over.
    init(owning fd: Int32) { self.fd = fd }

    deinit { close(fd) }

    // MARK: Listening

    /// A socket that listens on `address`, which is no path. Non-blocking, closed on exec.
    static func listening(on address: SocketAddress, backlog: Int32) throws(SocketError) -> Socket {
        precondition(!address.isUnix, "a Unix socket has a file: UnixSocketFile")
        let fd = Glibc.socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        guard fd >= 0 else { throw .last("socket") }
        let socket = Socket(owning: fd)
        try socket.setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == AF_INET6 {
            try socket.setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        try socket.makeNonBlocking()
        let bound = address.withSystemAddress { bind(fd, $0, $1) }
        guard bound == 0 else { throw .last("bind") }
        guard listen(fd, backlog) == 0 else { throw .last("listen") }
        return socket
    }

    /// A Unix socket that neither listens nor is connected. Non-blocking, closed on exec.
    static func unix() throws(SocketError) -> Socket {
        let fd = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard fd >= 0 else { throw .last("socket") }
        let socket = Socket(owning: fd)
        try socket.makeNonBlocking()
        return socket
    }

    /// What waits to be accepted.
    enum Accepted {
        /// A client, and whose connections it is counted among.
        case socket(Socket, PeerGroup?)
        /// Nobody waits.
        case none
        /// No descriptor, or no memory for one.
        case exhausted
        /// The client was gone before it was accepted.
        case gone
    }

    /// Accepts one connection.
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

    /// The address it is bound to.
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

    // MARK: Connected

    /// Small lines leave at once; a peer that acknowledges nothing for this long is given up.
    func setConnectionOptions(userTimeoutMilliseconds: Int32) {
        // Neither is worth refusing a client for.
        try? setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        try? setOption(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, userTimeoutMilliseconds)
    }

    /// The outcome of a read or write.
    enum Transfer {
        case bytes(Int)
        /// The peer sends nothing more.
        case end
        /// Not now.
        case wouldBlock
        /// The connection is broken.
        case broken
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = Glibc.read(fd, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .broken
            }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .broken
            }
        }
    }

    /// Says that nothing more will be sent.
    func shutdownWrite() {
        // Fails only where the peer is gone already, which the next read says.
        _ = shutdown(fd, Int32(SHUT_WR))
    }

    private func makeNonBlocking() throws(SocketError) {
        guard fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0,
            fcntl(fd, F_SETFD, FD_CLOEXEC) == 0
        else { throw .last("fcntl") }
    }

    private func setOption(
        _ level: Int32, _ name: Int32, _ value: Int32
    ) throws(SocketError) {
        var value = value
        let result = setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        guard result == 0 else { throw .last("setsockopt") }
    }
}
