import Foundation
import Transducers

/// Runs jobs one at a time, first in, first out, and knows when it is idle.
///
/// A machine under test, its effects, and the actors without executors of their own that effects
/// call all run here. So a job begins when the one before has ended or waits, in the order in which
/// they became ready: the same in every run. When no job is left, everything that could happen has
/// happened, except on other executors (the main actor, tasks that effects start without waiting
/// for them, callbacks of the system).
final class TestExecutor: TaskExecutor {
    /// The same queue as an actor's executor.
    final class ForActor: SerialExecutor {
        private let executor: TestExecutor

        init(_ executor: TestExecutor) { self.executor = executor }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            executor.enqueue { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private struct Work {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
        /// The number of times that it became idle.
        var rests: UInt64 = 0
        /// The callers that wait until it is idle.
        var waiters: [WakeUp] = []
    }

    private let work = Locked(Work())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        enqueue { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    private func enqueue(_ job: @escaping @Sendable () -> Void) {
        let begins = work.withLock { work in
            work.jobs.append(job)
            defer { work.isRunning = true }
            return !work.isRunning
        }
        // A separate thread while there is work: the pool's threads may be busy with tests that
        // wait for this work.
        if begins { Thread.detachNewThread { while self.runNext() {} } }
    }

    /// - Returns: Whether there was a job; if not, the waiting callers are woken.
    private func runNext() -> Bool {
        let (job, waiting) = work.withLock { work -> ((@Sendable () -> Void)?, [WakeUp]) in
            guard work.jobs.isEmpty else { return (work.jobs.removeFirst(), []) }
            work.isRunning = false
            work.rests += 1
            defer { work.waiters = [] }
            return (nil, work.waiters)
        }
        for waiter in waiting { waiter.wake() }
        job?()
        return job != nil
    }

    // MARK: Waiting

    var restCount: UInt64 { work.withLock { $0.rests } }

    /// Waits until it is idle.
    ///
    /// - Parameters:
    ///   - count: Waits until it has become idle more often than this.
    ///   - limit: The longest wait, in real time.
    /// - Returns: `false` when the limit was reached, or the task canceled.
    nonisolated(nonsending) func rested(
        after count: UInt64? = nil, within limit: Duration
    ) async -> Bool {
        let wakeUp = WakeUp()
        let goal: UInt64? = work.withLock { work in
            if !work.isRunning, count.map({ work.rests > $0 }) ?? true { return nil }
            work.waiters.append(wakeUp)
            return count ?? work.rests
        }
        guard let goal else { return true }
        let timer = Task {
            // Canceled when the wait is over.
            try await ContinuousClock().sleep(for: limit)
            wakeUp.wake()
        }
        await wakeUp.wait()
        timer.cancel()
        return work.withLock { work in
            work.waiters.removeAll { $0 === wakeUp }
            // Work that began later doesn't count.
            return work.rests > goal
        }
    }
}
