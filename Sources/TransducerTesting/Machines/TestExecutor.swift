import Foundation
import Transducers

/// Runs jobs one at a time, first come, first served, and knows when there is nothing to do.
///
/// A machine under test, its effects, and the actors without executors of their own that effects
/// call all run here. So one job always begins when the one before has ended or waits, in the
/// order in which they became ready: the same in every run. When no job is left, everything that
/// could happen has happened, apart from what runs elsewhere (the main actor, tasks that effects
/// start without waiting for them, callbacks of the system).
final class TestExecutor: TaskExecutor, @unchecked Sendable {
    // Sendable, because all that changes is used under the lock alone.

    /// The same queue for an actor, which wants to run as itself.
    final class ForActor: SerialExecutor {
        private let executor: TestExecutor

        init(_ executor: TestExecutor) { self.executor = executor }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            executor.enqueue { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let lock = Lock()
    private var jobs: [() -> Void] = []
    private var isWorking = false
    /// How often all work has ended.
    private var rests: UInt64 = 0
    /// Those who wait for work to end.
    private var waiters: [WakeUp] = []

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        enqueue { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    private func enqueue(_ job: @escaping () -> Void) {
        lock.lock()
        jobs.append(job)
        let begins = !isWorking
        isWorking = true
        lock.unlock()
        // A thread of its own for as long as there is work: the pool's may be busy with tests
        // that wait for this very work.
        if begins { Thread.detachNewThread { self.work() } }
    }

    private func work() {
        while true {
            lock.lock()
            guard !jobs.isEmpty else {
                isWorking = false
                rests += 1
                let waiting = waiters
                waiters = []
                lock.unlock()
                for waiter in waiting { waiter.ring() }
                return
            }
            let job = jobs.removeFirst()
            lock.unlock()
            job()
        }
    }

    // MARK: Waiting

    /// How often all work has ended.
    var restCount: UInt64 { lock.withLock { rests } }

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
        let goal: UInt64? = lock.withLock {
            if !isWorking, count.map({ rests > $0 }) ?? true { return nil }
            waiters.append(wakeUp)
            return count ?? rests
        }
        guard let goal else { return true }
        let timer = Task {
            // Cancelled when it isn't needed any more.
            try await ContinuousClock().sleep(for: limit)
            wakeUp.ring()
        }
        await wakeUp.wait()
        timer.cancel()
        return lock.withLock {
            waiters.removeAll { $0 === wakeUp }
            // Work that has begun since is none of this wait.
            return rests > goal
        }
    }
}
