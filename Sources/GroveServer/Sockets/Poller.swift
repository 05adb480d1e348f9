import CEpoll
import Glibc

/// The sockets of all connections in one epoll instance (`man 7 epoll`), whose descriptor a
/// Dispatch source watches. Confined to the io queue.
///
/// Level-triggered: a socket is reported again as long as it is ready. So nothing has to be armed
/// again after a report, and one system call returns all sockets that are ready.
final class Poller {
    /// The events that are waited for.
    struct Interest: OptionSet {
        let rawValue: UInt8
        static let read = Interest(rawValue: 1)
        static let write = Interest(rawValue: 2)
        /// The end of the other side's stream, also while it isn't read up to there.
        static let end = Interest(rawValue: 4)
    }

    /// A socket that is ready: to be written, if not to be read. A broken one counts as readable.
    struct Report {
        /// The id with which the socket was added.
        let id: UInt64
        let isReadable: Bool
        /// Whether the other side was reset, or has closed a Unix socket.
        let isBroken: Bool
        /// Whether the other side's stream has ended.
        let isEnded: Bool
    }

    /// Readable while any socket is ready.
    let fd: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private let waker: PollerWaker
    /// Stands for the waker; connections count from 1.
    private static let wakerID: UInt64 = 0

    /// - Parameters:
    ///   - reportsMax: Reports of one ``wait(milliseconds:_:)``, at most.
    ///   - waker: Ends a wait.
    init(reportsMax: Int, waker: PollerWaker) {
        self.waker = waker
        fd = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(fd >= 0, "there is a descriptor for epoll")
        events = .allocate(capacity: reportsMax)
        let isAdded = change(waker.fd, id: Self.wakerID, from: nil, to: .read)
        precondition(isAdded, "the kernel has room for a first descriptor")
    }

    deinit {
        events.deallocate()
        close(fd)
    }

    /// Changes the events that are waited for on a socket. With none, only a broken one is
    /// reported, again and again.
    ///
    /// - Parameters:
    ///   - old: The former events; `nil` for a socket that isn't in the set.
    ///   - new: The new ones; `nil` to remove it, before its descriptor is closed.
    /// - Returns: `false` when the kernel has no room for another socket.
    func change(_ socket: Int32, id: UInt64, from old: Interest?, to new: Interest?) -> Bool {
        guard old != new else { return true }
        var event = epoll_event()
        event.data.u64 = id
        if new?.contains(.read) == true { event.events |= EPOLLIN.rawValue }
        if new?.contains(.write) == true { event.events |= EPOLLOUT.rawValue }
        if new?.contains(.end) == true { event.events |= EPOLLRDHUP.rawValue }
        let operation = old == nil ? EPOLL_CTL_ADD : new == nil ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
        if epoll_ctl(fd, operation, socket, &event) == 0 { return true }
        precondition(errno == ENOMEM || errno == ENOSPC, "epoll_ctl failed: \(errno)")
        return false
    }

    /// Waits until a socket is ready, for at most some milliseconds, and calls `body` for each.
    func wait(milliseconds: Int32, _ body: (Report) -> Void) {
        let count = epoll_wait(fd, events.baseAddress, Int32(events.count), milliseconds)
        guard count > 0 else { return }
        for event in events[..<Int(count)] {
            guard event.data.u64 != Self.wakerID else {
                waker.clear()
                continue
            }
            let isBroken = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
            body(
                Report(
                    id: event.data.u64,
                    isReadable: isBroken || event.events & EPOLLIN.rawValue != 0,
                    isBroken: isBroken, isEnded: event.events & EPOLLRDHUP.rawValue != 0))
        }
    }
}
