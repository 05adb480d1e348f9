#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system calls on stream sockets, and nothing else. The descriptor is closed with the last
/// reference, so it stays open as long as any Dispatch source uses it.
package final class Socket: Sendable {
    /// The descriptor.
    package let fd: Int32

    /// Takes ownership of a descriptor.
    package init(owning fd: Int32) { self.fd = fd }

    /// A new socket that neither listens nor is connected. Non-blocking, closed on exec.
    package init(family: Int32) throws(SocketError) {
        #if canImport(Glibc)
            fd = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            fd = socket(family, SOCK_STREAM, 0)
        #endif
        guard fd >= 0 else { throw .last("socket") }
        try makeNonBlocking()
    }

    deinit { close(fd) }

    /// Sets the descriptor to non-blocking and closed on exec.
    package func makeNonBlocking() throws(SocketError) {
        guard fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0,
            fcntl(fd, F_SETFD, FD_CLOEXEC) == 0
        else { throw .last("fcntl") }
    }

    /// Sets an option whose value is an integer.
    package func setOption(
        _ level: Int32, _ name: Int32, _ value: Int32
    ) throws(SocketError) {
        var value = value
        let result = setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
        guard result == 0 else { throw .last("setsockopt") }
    }

    /// Sends small lines at once.
    package func setNoDelay() {
        // A connection works without it.
        try? setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    // MARK: Connecting

    /// Starts to connect a new socket to an address. When it becomes writable, ``connectError`` has
    /// the outcome.
    package static func connecting(to address: SocketAddress) throws(SocketError) -> Socket {
        let socket = try Socket(family: address.family)
        if !address.isUnix { socket.setNoDelay() }
        let status = address.withSystemAddress { connect(socket.fd, $0, $1) }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw .last("connect")
        }
        return socket
    }

    /// The failure of the attempt to connect; `nil` for an open connection.
    package var connectError: SocketError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return .last("getsockopt")
        }
        return code == 0 ? nil : SocketError(call: "connect", code: code)
    }

    // MARK: Connected

    /// The outcome of a read or write.
    package enum Transfer {
        /// The count of bytes, at least one.
        case bytes(Int)
        /// The peer sends nothing more.
        case end
        /// Not possible now; the descriptor becomes ready later.
        case wouldBlock
        /// The connection is broken.
        case broken(SocketError)
    }

    /// Reads at most as much as `buffer` holds.
    ///
    /// - Parameter keeps: Whether the bytes stay there for the next read.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, keeps: Bool = false
    ) -> Transfer {
        let flags = keeps ? Int32(MSG_PEEK) : 0
        while true {
            let count = recv(fd, buffer.baseAddress, buffer.count, flags)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .broken(.last("recv"))
            }
        }
    }

    /// Writes as much as the system accepts. A closed connection is a failure, not a signal.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        while true {
            let count = send(fd, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .broken(.last("send"))
            }
        }
    }

    /// Bytes that were written and that the peer hasn't confirmed: about as many as wait in the
    /// kernel's buffer. On a Unix socket the kernel's overhead counts too. `nil` if the system
    /// doesn't say.
    package var unconfirmedBytes: Int? {
        #if canImport(Glibc)
            var count: Int32 = 0
            return ioctl(fd, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
        #else
            return nil
        #endif
    }

    /// Ends the stream to the peer.
    package func shutdownWrite() {
        // Fails only if the peer is gone, which the next read reports.
        _ = shutdown(fd, Int32(SHUT_WR))
    }
}
