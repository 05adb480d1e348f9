import Glibc

/// The process's limit of open files and sockets.
enum DescriptorLimit {
    /// Descriptors besides those of connections: the store's, the listeners', the handlers' and
    /// those of libraries.
    static let reserve = 512

    /// The lowest limit that a server starts with: it has some thirty descriptors of its own.
    static let least = 64

    /// Raises the process's soft limit, if a server needs that; returns why it isn't enough.
    static func shortage() -> String? {
        guard let limit = raise(connections: 0), limit < least else { return nil }
        return "this process may have \(limit) files and sockets open, and a server needs at "
            + "least \(least): raise the hard limit of open files (ulimit -Hn, or LimitNOFILE of "
            + "its unit)"
    }

    /// Raises the process's soft limit as far as allowed, if `connections` connections need it.
    ///
    /// - Returns: The limit, if it is still too low for them; `nil` if it suffices.
    static func raise(connections: Int) -> Int? {
        let wanted = rlim_t(connections + reserve)
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0 else { return nil }
        guard limit.rlim_cur < wanted else { return nil }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        // It fails only if it wouldn't help.
        _ = setrlimit(kind, &limit)
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur < wanted else { return nil }
        return Int(limit.rlim_cur)
    }
}
