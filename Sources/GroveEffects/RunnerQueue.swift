import Dispatch

/// The serial queue that the runner's actor lives on: what is posted to it keeps its order, which
/// tasks don't, and a cancel must not overtake the start that it is meant for.
final class RunnerQueue: SerialExecutor {
    let queue = DispatchQueue(label: "grove.effects")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    func isSameExclusiveExecutionContext(other: RunnerQueue) -> Bool { self === other }
}
