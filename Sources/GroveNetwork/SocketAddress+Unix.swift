#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Unix sockets: addresses that are paths.
extension SocketAddress {
    /// A socket at this path of the file system.
    public static func unix(path: String) -> SocketAddress {
        SocketAddress(host: .unix(path), port: 0)
    }

    /// Whether it is a path.
    public var isUnix: Bool { if case .unix = host { true } else { false } }

    /// The message about the path of a Unix socket that can't be used; `nil` for one that can.
    package static func pathProblem(_ path: String) -> String? {
        if path.isEmpty { return "a Unix socket needs a path: unix:/run/grove/grove.sock" }
        if path.utf8.contains(0) { return "the path of a Unix socket can't hold a zero byte" }
        let count = path.utf8.count
        guard count <= unixPathBytesMax else {
            return "the path of a Unix socket has at most \(unixPathBytesMax) bytes, and this one "
                + "has \(count); choose a shorter one"
        }
        return nil
    }

    /// Calls `body` with the system's form of a path.
    static func withUnixAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var system = sockaddr_un()
        system.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &system.sun_path) { target in
            // The rest is zero already, at least one byte of it.
            target.copyBytes(from: path.utf8.prefix(target.count - 1))
        }
        return withSystem(&system, body)
    }
}
