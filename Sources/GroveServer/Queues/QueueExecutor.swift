public import Dispatch

/// Runs an actor's jobs on a serial Dispatch queue, so that Dispatch handlers of the same queue
/// may touch the actor's state (docs/internals/queues.md).
public final class QueueExecutor: SerialExecutor {
    /// The queue; its label is what a debugger shows.
    public let queue: DispatchQueue

    /// An executor over a new serial queue.
    public init(label: String) { queue = DispatchQueue(label: label) }

    /// Puts a job behind everything that waits on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Stops the program when the caller does not run on the queue.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Whether two executors are one.
    public func isSameExclusiveExecutionContext(other: QueueExecutor) -> Bool { self === other }
}
