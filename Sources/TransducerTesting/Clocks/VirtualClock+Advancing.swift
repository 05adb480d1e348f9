import Foundation

extension VirtualClock {
    /// What was asked of a clock that couldn't be done.
    public enum RunError: Error, Equatable, CustomStringConvertible {
        /// So many sleeps have ended and there are still some: something sleeps again and again.
        case sleepsMaxReached(Int)

        /// What happened and what to do.
        public var description: String {
            switch self {
            case .sleepsMaxReached(let max):
                "\(max) sleeps have ended and there are more: something sleeps again and again, "
                    + "so advance(by:) to a time of interest, or raise sleepsMax"
            }
        }
    }

    /// Lets `duration` pass: wakes those whose time comes, in order, and lets each go on before
    /// the next. Zero wakes nobody, but lets those go on who aren't asleep yet.
    ///
    /// - Precondition: `duration` isn't negative.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "time doesn't go back")
        await advance(to: now.advanced(by: duration), settling: VirtualClock.settle)
    }

    /// Lets the time until `deadline` pass, as ``advance(by:)``. The clock doesn't go back: a
    /// moment that is past wakes nobody.
    public func advance(to deadline: Instant) async {
        await advance(to: deadline, settling: VirtualClock.settle)
    }

    /// Goes on until nobody sleeps any more.
    ///
    /// - Parameter sleepsMax: How many sleeps may end: a bound for what sleeps for ever.
    /// - Throws: ``RunError/sleepsMaxReached(_:)``; the clock stands at the last of them.
    public func run(sleepsMax: Int = 10_000) async throws(RunError) {
        try await run(sleepsMax: sleepsMax, settling: VirtualClock.settle)
    }

    /// - Parameter settle: Waits until those who were woken have gone on as far as they can.
    nonisolated(nonsending) func advance(
        to deadline: Instant, settling settle: nonisolated(nonsending) (VirtualClock) async -> Void
    ) async {
        await settle(self)
        while wakeFirst(until: deadline) { await settle(self) }
    }

    nonisolated(nonsending) func run(
        sleepsMax: Int, settling settle: nonisolated(nonsending) (VirtualClock) async -> Void
    ) async throws(RunError) {
        await settle(self)
        for _ in 0..<sleepsMax {
            guard wakeFirst(until: nil) else { return }
            await settle(self)
        }
        if sleeperCount > 0 { throw .sleepsMaxReached(sleepsMax) }
    }

    /// Gives way to others until nothing has happened with the clock for a while. Nobody can know
    /// for certain what tasks on other threads are about to do: a ``TestTransducer`` does, since
    /// it runs them itself, and its `advance(by:)` waits for them.
    nonisolated(nonsending) private static func settle(_ clock: VirtualClock) async {
        var seen = clock.changeCount
        var quiet = 0
        while quiet < quietTurns {
            // Behind those who are ready to run in the pool's queue, and behind those whose
            // threads are ready to run in the system's.
            await Task.detached { giveWay() }.value
            let count = clock.changeCount
            quiet = count == seen ? quiet + 1 : 0
            seen = count
        }
    }

    private static func giveWay() { sched_yield() }

    /// Each step of a task that was woken takes a turn, as a rule.
    private static var quietTurns: Int { 100 }
}
