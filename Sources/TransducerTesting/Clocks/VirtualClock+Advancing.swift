import Foundation

extension VirtualClock {
    /// The reason for which ``run(sleepsMax:)`` stopped.
    public enum RunError: Error, Equatable, CustomStringConvertible {
        /// This many sleeps have ended, and tasks still sleep: one of them sleeps again and again.
        case sleepsMaxReached(Int)

        /// The problem and its remedy.
        public var description: String {
            switch self {
            case .sleepsMaxReached(let max):
                "\(max) sleeps have ended and there are more: something sleeps again and again, "
                    + "so advance(by:) to a time of interest, or raise sleepsMax"
            }
        }
    }

    /// Advances by `duration`: wakes the tasks whose deadline comes, in order; each runs before the
    /// next one wakes. Zero wakes none, but lets tasks run that don't sleep yet.
    ///
    /// - Precondition: `duration` isn't negative.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "time doesn't go back")
        await advance(to: now.advanced(by: duration), waiting: VirtualClock.waitUntilQuiet)
    }

    /// Advances to `deadline`, as ``advance(by:)``. A moment in the past changes nothing.
    public func advance(to deadline: Instant) async {
        await advance(to: deadline, waiting: VirtualClock.waitUntilQuiet)
    }

    /// Advances until no task sleeps.
    ///
    /// - Parameter sleepsMax: The number of sleeps that may end, for tasks that sleep forever.
    /// - Throws: ``RunError/sleepsMaxReached(_:)``; the clock then shows the last deadline.
    public func run(sleepsMax: Int = 10_000) async throws(RunError) {
        try await run(sleepsMax: sleepsMax, waiting: VirtualClock.waitUntilQuiet)
    }

    /// - Parameter wait: Waits until the woken tasks have run as far as they can.
    nonisolated(nonsending) func advance(
        to deadline: Instant, waiting wait: nonisolated(nonsending) (VirtualClock) async -> Void
    ) async {
        await wait(self)
        while wakeFirst(until: deadline) { await wait(self) }
    }

    nonisolated(nonsending) func run(
        sleepsMax: Int, waiting wait: nonisolated(nonsending) (VirtualClock) async -> Void
    ) async throws(RunError) {
        await wait(self)
        for _ in 0..<sleepsMax {
            guard wakeFirst(until: nil) else { return }
            await wait(self)
        }
        if sleeperCount > 0 { throw .sleepsMaxReached(sleepsMax) }
    }

    /// Yields until the clock hasn't been used for a while. What tasks on other threads are about
    /// to do can't be known for certain. A ``TestTransducer`` runs them itself, so its
    /// `advance(by:)` knows.
    nonisolated(nonsending) private static func waitUntilQuiet(_ clock: VirtualClock) async {
        var seen = clock.changeCount
        var quiet = 0
        while quiet < quietTurns {
            // After the tasks that are ready in the pool's queue, and after the threads that are
            // ready in the system's.
            await Task.detached { yieldThread() }.value
            let count = clock.changeCount
            quiet = count == seen ? quiet + 1 : 0
            seen = count
        }
    }

    private static func yieldThread() { sched_yield() }

    /// Usually each step of a woken task takes one turn.
    private static var quietTurns: Int { 100 }
}
