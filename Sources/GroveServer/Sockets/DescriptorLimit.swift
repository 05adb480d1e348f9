import Glibc

/// How many files and sockets the process may have open.
enum DescriptorLimit {
    /// Descriptors besides those of connections: the store's, the listeners', the handlers' and
    /// what the libraries open now and then.
    static let reserve = 512

    /// Raises the process's own limit as far as it is allowed to, if so many connections need it.
    ///
    /// - Returns: The limit, when it is too low for them all the same; `nil` when it suffices.
    static func raise(connections: Int) -> Int? {
        let wanted = rlim_t(connections + reserve)
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0 else { return nil }
        guard limit.rlim_cur < wanted else { return nil }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        // It fails only where it would not help.
        _ = setrlimit(kind, &limit)
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur < wanted else { return nil }
        return Int(limit.rlim_cur)
    }
}
