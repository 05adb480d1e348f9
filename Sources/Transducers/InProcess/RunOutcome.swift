/// The outcome of work, decided once: by the work itself, or by whatever stops it first. Work that
/// is stopped is cancelled, and not waited for.
final class RunOutcome<Output: Sendable>: Sendable {
    private typealias Decision = Result<Output, any Error>

    private struct Progress {
        var decided: Decision?
        var waiting: UnsafeContinuation<Decision, Never>?
        var task: Task<Void, Never>?
    }

    private let progress = Locked(Progress())

    /// Whether the work's result isn't wanted any more.
    var isDecided: Bool { progress.withLock { $0.decided != nil } }

    /// Makes `task` the one that is cancelled when the work is stopped.
    func adopt(_ task: Task<Void, Never>) {
        let isLate = progress.withLock { progress in
            progress.task = task
            return progress.decided != nil
        }
        // Whatever was decided before: a task that has ended isn't harmed.
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
