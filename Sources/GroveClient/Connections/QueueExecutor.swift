import Dispatch

/// Runs an actor on a serial Dispatch queue, so that the handlers of Dispatch sources, which run
/// on that queue already, can enter the actor without waiting.
final class QueueExecutor: SerialExecutor {
    /// The serial queue.
    let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
