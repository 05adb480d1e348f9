/// What work comes to, decided once: by the work itself, or by whoever stops it first. What is
/// stopped is cancelled, and not waited for.
final class RunOutcome<Output>: @unchecked Sendable {
    // Sendable, because everything below is used under the lock alone. Outputs come from, and
    // go to, the same actor, or are sendable.
    private let lock = Lock()
    private var decided: Result<Output, any Error>?
    private var waiting: UnsafeContinuation<Result<Output, any Error>, Never>?
    private var task: Task<Void, Never>?

    /// Whether it doesn't matter any more what the work does.
    var isDecided: Bool {
        lock.lock()
        defer { lock.unlock() }
        return decided != nil
    }

    func adopt(_ task: Task<Void, Never>) {
        lock.lock()
        self.task = task
        let isLate = decided != nil
        lock.unlock()
        // Whatever was decided before: a task that has ended isn't harmed.
        if isLate { task.cancel() }
    }

    func stop(_ error: any Error) {
        resolve(.failure(error))
        lock.lock()
        let task = task
        lock.unlock()
        task?.cancel()
    }

    func resolve(_ result: Result<Output, any Error>) {
        lock.lock()
        guard decided == nil else {
            lock.unlock()
            return
        }
        decided = result
        let waiting = waiting
        self.waiting = nil
        lock.unlock()
        // Comes from the actor that waits for it, or is sendable.
        nonisolated(unsafe) let result = result
        waiting?.resume(returning: result)
    }

    func result(
        isolation: isolated (any Actor)? = #isolation
    ) async -> Result<Output, any Error> {
        await withUnsafeContinuation(isolation: isolation) { continuation in
            lock.lock()
            guard let decided else {
                waiting = continuation
                lock.unlock()
                return
            }
            lock.unlock()
            // Comes from the actor that waits here, or is sendable.
            nonisolated(unsafe) let result = decided
            continuation.resume(returning: result)
        }
    }
}
