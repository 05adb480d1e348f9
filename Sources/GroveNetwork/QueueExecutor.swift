import Dispatch
import Synchronization

/// Runs an actor's jobs on a serial Dispatch queue, so that Dispatch handlers of the same queue
/// may access the actor's state (docs/internals/queues.md).
package final class QueueExecutor: SerialExecutor {
    /// The queue; a debugger shows its label.
    package let queue: DispatchQueue
    private let wake: (@Sendable () -> Void)?
    private let waiting = Atomic(0)

    /// An executor over a new serial queue.
    ///
    /// - Parameters:
    ///   - label: The queue's label.
    ///   - wake: Called after each job and each block that is added, for an actor that blocks its
    ///     queue while it waits for sockets.
    package init(label: String, wake: (@Sendable () -> Void)? = nil) {
        queue = DispatchQueue(label: label)
        self.wake = wake
    }

    /// Runs a block after all work that waits on the queue.
    package func post(_ block: @escaping @Sendable () -> Void) {
        // The block may be the last to need the executor, which is gone then.
        let wake = wake
        waiting.add(1, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            waiting.subtract(1, ordering: .relaxed)
            block()
        }
        wake?()
    }

    /// Whether no posted block and no job waits. Others may be posted at any time, except by a
    /// caller on the queue, or by one that runs on the only queue that posts.
    package var hasNothingWaiting: Bool { waiting.load(ordering: .sequentiallyConsistent) == 0 }

    /// Runs a job after all work that waits on the queue.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        post { job.runSynchronously(on: executor) }
    }

    /// Stops the program if the caller doesn't run on the queue.
    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Whether two executors are the same.
    package func isSameExclusiveExecutionContext(other: QueueExecutor) -> Bool { self === other }
}
