import CEpoll
import Glibc
import Synchronization

/// Ends a wait of a ``Poller`` when work is posted to the waiting thread's queue.
///
/// Posting costs one atomic operation while nobody waits.
final class PollerWaker: Sendable {
    /// An eventfd (`man 2 eventfd`): readable after ``wake()``, until ``clear()``.
    let fd: Int32
    private let isWaiting = Atomic(false)

    init() {
        fd = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(fd >= 0, "there is a descriptor for an eventfd")
    }

    deinit { close(fd) }

    /// Ends the present wait. To be called from any thread, after the post.
    func wake() {
        guard isWaiting.load(ordering: .sequentiallyConsistent),
            isWaiting.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        eventfd_write(fd, 1)
    }

    /// Runs `wait`, which ``wake()`` may end from now on. What was posted before must be looked for
    /// inside `wait`.
    func whileWaiting(_ wait: () -> Void) {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        wait()
        isWaiting.store(false, ordering: .relaxed)
    }

    /// Makes the descriptor unreadable again.
    func clear() {
        var count: eventfd_t = 0
        eventfd_read(fd, &count)
    }
}
