#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A value that is used under a mutual-exclusion lock of the platform's threads library, by one
/// thread at a time.
///
/// Not `Synchronization.Mutex`: that one waits by a system call the thread sanitizer doesn't see
/// on Linux, which then reports races that are none (docs/decisions/0008).
@usableFromInline
package final class Locked<State>: @unchecked Sendable {
    // Sendable, because the state comes in by `sending`, so that nobody else has it, and is used
    // with the lock held alone. What a body returns or resumes is either sendable, or was put in
    // by `sending` and is taken out for good.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // Not checked at run time: the lock keeps accesses apart.
    @exclusivity(unchecked) @usableFromInline var state: State

    package init(_ state: sending State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "the system gave no lock (\(status))")
        self.state = state
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Calls `body` with the lock held. It must not call code of others, which could come back.
    @inlinable
    package func withLock<Result, Failure>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body(&state)
    }

    @usableFromInline
    func lock() { pthread_mutex_lock(mutex) }

    @usableFromInline
    func unlock() { pthread_mutex_unlock(mutex) }
}
