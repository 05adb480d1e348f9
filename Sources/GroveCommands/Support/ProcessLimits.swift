import Glibc

/// The limits that the system sets to this process. With less, its threads and queues can't be
/// made: it would end with a trap, or wait for memory for ever.
enum ProcessLimits {
    /// Why no command can run; `nil` if one can. Raises the limit of open files, if that is too low
    /// and may be raised.
    static func shortage() -> String? {
        if let descriptors = descriptors(), descriptors < descriptorsMin {
            return "this process may have \(descriptors) files and sockets open, and needs at "
                + "least \(descriptorsMin): raise the limit of open files (ulimit -n)"
        }
        let kind = __rlimit_resource_t(RLIMIT_AS.rawValue)
        if let limit = limit(of: kind), limit.rlim_cur < addressSpaceMin {
            return "this process may have \(limit.rlim_cur >> 10) KiB of address space, and needs "
                + "at least \(addressSpaceMin >> 10) KiB: raise the limit (ulimit -v)"
        }
        return nil
    }

    /// Lets no file with the memory of this process be written when it crashes, for good: it has
    /// secrets, keys of TLS and the data of all clients.
    ///
    /// The limit is one byte, of which the kernel makes no file. It is not 0, because the kernel
    /// starts a program that handles cores (core(5), `|` in `core_pattern`) even then, and not
    /// where the limit is one byte. Where it was 0 for good, only root can change that.
    static func forbidCores() {
        let kind = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        // It fails only for a user whose limit is 0 already.
        _ = setrlimit(kind, &limit)
    }

    private static func limit(of kind: __rlimit_resource_t) -> rlimit? {
        var limit = rlimit()
        return getrlimit(kind, &limit) == 0 ? limit : nil
    }

    private static func descriptors() -> rlim_t? {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard var limit = limit(of: kind) else { return nil }
        guard limit.rlim_cur < descriptorsMin else { return limit.rlim_cur }
        limit.rlim_cur = min(limit.rlim_max, 1_024)
        // It fails only if it wouldn't help.
        _ = setrlimit(kind, &limit)
        return self.limit(of: kind)?.rlim_cur
    }
}
