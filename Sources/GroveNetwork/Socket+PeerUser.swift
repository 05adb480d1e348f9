#if canImport(Glibc)
    import Glibc

    extension Socket {
        /// The user and group of the process at the other end of a Unix socket, as they were when
        /// it connected (`SO_PEERCRED`); `nil` for other sockets.
        package var peerUser: (user: UInt32, group: UInt32)? {
            // `struct ucred`, which Glibc's module doesn't show: process, user, group.
            var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)
            let size = socklen_t(MemoryLayout.size(ofValue: credentials))
            var length = size
            guard getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0,
                length == size, credentials.process != 0
            else { return nil }
            return (credentials.user, credentials.group)
        }
    }
#endif
