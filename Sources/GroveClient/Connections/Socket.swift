#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system calls of a connecting stream socket, and nothing else.
package enum Socket {
    /// A system call or a name lookup that failed, in words.
    package struct Failure: Error { package let reason: String }

    /// One address as the kernel wants it.
    package struct Endpoint: Sendable {
        let family: Int32
        let bytes: [UInt8]
    }

    /// What reading or writing came to.
    package enum Transfer {
        /// So many bytes, at least one.
        case bytes(Int)
        /// Nothing now; the descriptor's readiness will tell.
        case wouldBlock
        /// The other side has ended the stream.
        case ended
        /// The connection is broken.
        case failed(String)
    }

    /// All endpoints of an address, in the order to try them. Blocks for as long as the lookup of
    /// a name takes.
    package static func endpoints(of address: ServerAddress) -> Result<[Endpoint], Failure> {
        switch address {
        case .unix(let path): .success([unixEndpoint(path)])
        case .tcp(let host, let port): lookup(host: host, port: port)
        }
    }

    private static func unixEndpoint(_ path: String) -> Endpoint {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { target in
            target.copyBytes(from: path.utf8.prefix(target.count - 1))
        }
        return Endpoint(family: AF_UNIX, bytes: withUnsafeBytes(of: address) { Array($0) })
    }

    private static func lookup(host: String, port: UInt16) -> Result<[Endpoint], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = streamType
        hints.ai_flags = AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &first)
        guard status == 0 else {
            return .failure(Failure(reason: "\(host): \(String(cString: gai_strerror(status)))"))
        }
        defer { freeaddrinfo(first) }
        var endpoints: [Endpoint] = []
        var next = first
        while let info = next {
            if let address = info.pointee.ai_addr {
                let bytes = UnsafeRawBufferPointer(
                    start: address, count: Int(info.pointee.ai_addrlen))
                endpoints.append(Endpoint(family: info.pointee.ai_family, bytes: Array(bytes)))
            }
            next = info.pointee.ai_next
        }
        return .success(endpoints)
    }

    private static var streamType: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    /// A new socket that neither blocks nor survives `exec`, already on its way to `endpoint`.
    /// It is connected, or not, when it becomes writable.
    package static func connect(to endpoint: Endpoint) -> Result<Int32, Failure> {
        let fd = socket(endpoint.family, streamType, 0)
        guard fd >= 0 else { return .failure(Failure(reason: lastError())) }
        _ = fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)
        _ = fcntl(fd, F_SETFD, FD_CLOEXEC)
        if endpoint.family != AF_UNIX {
            var yes: Int32 = 1
            setsockopt(
                fd, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        let status = endpoint.bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                systemConnect(fd, address.baseAddress, socklen_t(bytes.count))
            }
        }
        if status == 0 || errno == EINPROGRESS || errno == EINTR { return .success(fd) }
        let reason = lastError()
        close(fd)
        return .failure(Failure(reason: reason))
    }

    /// Why a connection that was under way failed; `nil` when it stands.
    package static func connectError(of fd: Int32) -> Failure? {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else {
            return Failure(reason: lastError())
        }
        return error == 0 ? nil : Failure(reason: String(cString: strerror(error)))
    }

    /// Reads what is there, at most as much as `buffer` holds.
    package static func read(_ fd: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(fd, buffer.baseAddress, buffer.count, 0) }
    }

    /// Writes what fits. A closed connection is a failure, not a signal.
    package static func write(_ fd: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        #if canImport(Glibc)
            transfer { send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        #else
            transfer { send(fd, bytes.baseAddress, bytes.count, 0) }
        #endif
    }

    private static func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            if errno == EAGAIN || errno == EWOULDBLOCK { return .wouldBlock }
            return .failed(lastError())
        }
    }

    private static func lastError() -> String { String(cString: strerror(errno)) }
}

/// The system's `connect`, under a name that ``Socket`` doesn't hide.
private func systemConnect(
    _ fd: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
) -> Int32 {
    connect(fd, address, length)
}
