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

    private struct Waiter {
        let number: UInt64
        let continuation: UnsafeContinuation<Void, Never>
    }

    private let lock = Lock()
    private var jobs: [() -> Void] = []
    private var isWorking = false
    /// How often all work has ended.
    private var rests: UInt64 = 0
    private var waiters: [Waiter] = []
    private var lastWaiter: UInt64 = 0
    /// Those whose time was up.
    private var late: Set<UInt64> = []

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
                for waiter in waiting { waiter.continuation.resume() }
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
    /// - Returns: Whether it is so; `false` when the limit was met.
    nonisolated(nonsending) func rested(
        after count: UInt64? = nil, within limit: Duration
    ) async -> Bool {
        var timer: Task<Void, Never>?
        var number: UInt64 = 0
        // What comes of it isn't handed over by the continuation: the thread sanitizer doesn't
        // see that a resumption from another thread comes after the beginning of the wait.
        await withUnsafeContinuation { continuation in
            lock.lock()
            if !isWorking, count.map({ rests > $0 }) ?? true {
                lock.unlock()
                continuation.resume()
                return
            }
            lastWaiter += 1
            number = lastWaiter
            waiters.append(Waiter(number: number, continuation: continuation))
            lock.unlock()
            timer = Task { [number] in
                // Cancelled when it isn't needed any more: then there is nothing to give up.
                guard (try? await ContinuousClock().sleep(for: limit)) != nil else { return }
                self.giveUp(number)
            }
        }
        timer?.cancel()
        return lock.withLock { late.remove(number) == nil }
    }

    private func giveUp(_ number: UInt64) {
        let waiter: Waiter? = lock.withLock {
            guard let index = waiters.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            late.insert(number)
            return waiters.remove(at: index)
        }
        waiter?.continuation.resume()
    }
}
