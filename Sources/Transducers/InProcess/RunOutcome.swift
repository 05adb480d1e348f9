/// The outcome of work, decided once: by the work itself, or by the first call of ``stop(_:)``.
/// Work that is stopped is canceled, and not awaited.
final class RunOutcome<Output: Sendable>: Sendable {
    private typealias Decision = Result<Output, any Error>

    private let progress = Locked(
        (
            decided: Decision?.none, waiting: UnsafeContinuation<Decision, Never>?.none,
            task: Task<Void, Never>?.none
        ))

    /// Whether the outcome is decided, so that the work's result doesn't count.
    var isDecided: Bool { progress.withLock { $0.decided != nil } }

    /// Sets the task that ``stop(_:)`` cancels.
    func adopt(_ task: Task<Void, Never>) {
        let isLate = progress.withLock { progress in
            progress.task = task
            return progress.decided != nil
        }
        // Harmless for a task that has ended.
        if isLate { task.cancel() }
    }

    func stop(_ error: any Error) {
        resolve(.failure(error))
        progress.withLock { $0.task }?.cancel()
    }

    func resolve(_ result: Result<Output, any Error>) {
        let waiting = progress.withLock { progress -> UnsafeContinuation<Decision, Never>? in
            guard progress.decided == nil else { return nil }
            progress.decided = result
            return progress.waiting.take()
        }
        waiting?.resume(returning: result)
    }

    func result(
        isolation: isolated (any Actor)? = #isolation
    ) async -> Result<Output, any Error> {
        await withUnsafeContinuation(isolation: isolation) { continuation in
            let decided = progress.withLock { progress -> Decision? in
                if progress.decided == nil { progress.waiting = continuation }
                return progress.decided
            }
            if let decided { continuation.resume(returning: decided) }
        }
    }
}
