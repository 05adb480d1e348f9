import Glibc

/// Unix sockets: addresses that are paths.
extension SocketAddress {
    /// What comes before the path in an address as text.
    static let unixPrefix = "unix:"

    /// Bytes of the longest path: what the system's form of the address has room for, less the
    /// zero at its end.
    public static let unixPathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// A socket at this path of the file system.
    public static func unix(path: String) -> SocketAddress {
        SocketAddress(host: .unix(path), port: 0)
    }

    /// Whether it is a path.
    public var isUnix: Bool { if case .unix = host { true } else { false } }

    /// What is wrong with the path of a Unix socket; `nil` when nothing is.
    static func pathProblem(_ path: String) -> String? {
        if path.isEmpty { return "a Unix socket needs a path: unix:/run/grove/grove.sock" }
        if path.utf8.contains(0) { return "the path of a Unix socket can't hold a zero byte" }
        let count = path.utf8.count
        guard count <= unixPathBytesMax else {
            return "the path of a Unix socket has at most \(unixPathBytesMax) bytes, and this one "
                + "has \(count); choose a shorter one"
        }
        return nil
    }

    /// Hands the system's form of a path to `body`.
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
