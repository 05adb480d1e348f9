#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A mutual-exclusion lock of the platform's threads library.
///
/// Not `Synchronization.Mutex`: that one waits by a system call the thread sanitizer doesn't see
/// on Linux, which then reports races that are none (docs/decisions/0008).
package final class Lock: @unchecked Sendable {
    // Sendable by the lock's own doing.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "the system gave no lock (\(status))")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }
}
