import Foundation
import Transducers

/// Runs jobs one at a time, first come, first served, and knows when there is nothing to do.
///
/// A machine under test, its effects, and the actors without executors of their own that effects
/// call all run here. So one job always begins when the one before has ended or waits, in the
/// order in which they became ready: the same in every run. When no job is left, everything that
/// could happen has happened, apart from what runs elsewhere (the main actor, tasks that effects
/// start without waiting for them, callbacks of the system).
final class TestExecutor: TaskExecutor {
    /// The same queue for an actor, which wants to run as itself.
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
        var isGoingOn = false
        /// How often all work has ended.
        var rests: UInt64 = 0
        /// Those who wait for work to end.
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
            defer { work.isGoingOn = true }
            return !work.isGoingOn
        }
        // A thread of its own for as long as there is work: the pool's may be busy with tests
        // that wait for this very work.
        if begins { Thread.detachNewThread { while self.runNext() {} } }
    }

    /// - Returns: Whether there was a job; if not, those who wait for that are woken.
    private func runNext() -> Bool {
        let (job, waiting) = work.withLock { work -> ((@Sendable () -> Void)?, [WakeUp]) in
            guard work.jobs.isEmpty else { return (work.jobs.removeFirst(), []) }
            work.isGoingOn = false
            work.rests += 1
            defer { work.waiters = [] }
            return (nil, work.waiters)
        }
        for waiter in waiting { waiter.ring() }
        job?()
        return job != nil
    }

    // MARK: Waiting

    /// How often all work has ended.
    var restCount: UInt64 { work.withLock { $0.rests } }

    /// Waits until no work is left.
    ///
    /// - Parameters:
    ///   - count: If all work has ended that often, and not more, waits for new work to end.
    ///   - limit: The longest wait, in real time.
    /// - Returns: Whether it is so; `false` when the limit was met, or the task cancelled.
    nonisolated(nonsending) func rested(
        after count: UInt64? = nil, within limit: Duration
    ) async -> Bool {
        let wakeUp = WakeUp()
        let goal: UInt64? = work.withLock { work in
            if !work.isGoingOn, count.map({ work.rests > $0 }) ?? true { return nil }
            work.waiters.append(wakeUp)
            return count ?? work.rests
        }
        guard let goal else { return true }
        let timer = Task {
            // Cancelled when it isn't needed any more.
            try await ContinuousClock().sleep(for: limit)
            wakeUp.ring()
        }
        await wakeUp.wait()
        timer.cancel()
        return work.withLock { work in
            work.waiters.removeAll { $0 === wakeUp }
            // Work that has begun since is none of this wait.
            return work.rests > goal
        }
    }
}
