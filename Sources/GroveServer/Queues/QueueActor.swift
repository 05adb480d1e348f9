import Dispatch

/// An actor whose executor is a serial queue.
///
/// The data path goes through ``post(_:)``, because a queue keeps the order of its blocks and
/// tasks keep none; `await` is for starting, stopping and looking.
protocol QueueActor: Actor {
    nonisolated var executor: QueueExecutor { get }
}

extension QueueActor {
    /// Runs `work` on the actor's queue, in the order of the calls, behind everything that waits
    /// there; never suspends the caller.
    nonisolated func post(_ work: @escaping @Sendable (isolated Self) -> Void) {
        executor.queue.async { self.assumeIsolated { work($0) } }
    }
}
