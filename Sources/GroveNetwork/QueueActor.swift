/// An actor whose executor is a serial queue.
///
/// Data goes through ``post(_:)``, because a queue keeps the order of its blocks and tasks keep
/// none; `await` is for starting, stopping and inspecting.
package protocol QueueActor: Actor {
    /// Runs the actor.
    nonisolated var executor: QueueExecutor { get }
}

extension QueueActor {
    /// Runs `work` on the actor's queue, after all work that waits there; calls keep their order.
    /// Never suspends the caller.
    package nonisolated func post(_ work: @escaping @Sendable (isolated Self) -> Void) {
        executor.post { self.assumeIsolated { work($0) } }
    }
}
