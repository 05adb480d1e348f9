#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Waits for a fixed number of sockets with `poll`, each in a place of its own.
///
/// Glibc's module has no epoll; `poll` looks at every socket each time, which costs about 50 ns a
/// socket, and under load one call reports many.
struct Readiness: ~Copyable {
    /// What the socket in one place is ready for. An error counts as both.
    struct Event {
        var isReadable: Bool
        var isWritable: Bool
    }

    private let sockets: UnsafeMutableBufferPointer<pollfd>

    /// Room for `count` sockets; none is there yet.
    init(count: Int) {
        sockets = .allocate(capacity: count)
        sockets.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0))
    }

    deinit { sockets.deallocate() }

    /// Watches a socket, or none when `fd` is −1, in this place from now on. It is watched for
    /// being readable, and for being writable if that is asked for.
    func watch(_ fd: Int32, place: Int, writable: Bool) {
        let events = Int16(POLLIN) | (writable ? Int16(POLLOUT) : 0)
        sockets[place] = pollfd(fd: fd, events: events, revents: 0)
    }

    /// Waits until something is ready, at most `milliseconds`; returns in how many places.
    func wait(milliseconds: Int32) -> Int {
        Int(max(0, poll(sockets.baseAddress, nfds_t(sockets.count), milliseconds)))
    }

    /// What the last wait found in this place; `nil` when there was nothing, or when another
    /// socket is watched there since.
    func event(place: Int) -> Event? {
        let events = sockets[place].revents
        guard events != 0 else { return nil }
        let broken = Int16(POLLERR) | Int16(POLLHUP) | Int16(POLLNVAL)
        return Event(
            isReadable: events & (Int16(POLLIN) | broken) != 0,
            isWritable: events & (Int16(POLLOUT) | broken) != 0)
    }
}
