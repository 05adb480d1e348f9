import Transducers

/// Time that stands still until the test advances it, so that waiting takes no time and happens
/// in the same order in every run.
///
/// Those who sleep are woken by deadline, and with the same deadline in the order in which they
/// went to sleep: one at a time, each followed by a while for what it does then. Cancelling a
/// task that sleeps wakes it at once. May be used from any thread.
///
/// A ``TestTransducer`` has one; give it to the environment too, and there is one time for all.
public final class VirtualClock: Clock {
    /// A moment: how long after the clock was made.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// Time since the clock was made.
        public let offset: Duration

        /// The moment that long after the clock was made.
        public init(offset: Duration) { self.offset = offset }

        /// The moment `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The time from here to there; less than zero if `other` is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// The earlier moment is the lesser one.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }

        /// The time since the clock was made.
        public var description: String { "\(offset)" }
    }

    private struct Sleeper {
        let deadline: Instant
        let wakeUp: WakeUp
    }

    private struct Progress {
        var time = Instant(offset: .zero)
        /// In the order in which they are to be woken.
        var sleepers: [Sleeper] = []
        /// Counts what happens, so that quiet can be told from work.
        var changes: UInt64 = 0
    }

    private let progress = Locked(Progress())

    /// A clock that stands at zero.
    public init() {}

    /// Any time is told exactly.
    public var minimumResolution: Duration { .zero }

    /// The moment the clock stands at.
    public var now: Instant { progress.withLock { $0.time } }

    /// How many tasks sleep by this clock.
    public var sleeperCount: Int { progress.withLock { $0.sleepers.count } }

    /// When the first of them is to wake; `nil` when none sleeps.
    public var nextDeadline: Instant? { progress.withLock { $0.sleepers.first?.deadline } }

    var changeCount: UInt64 { progress.withLock { $0.changes } }

    /// Waits until the clock has been advanced to `deadline`. One that isn't in the future
    /// doesn't wait. A tolerance is of no use here and is ignored.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled, or was before.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let wakeUp = WakeUp()
        guard add(Sleeper(deadline: deadline, wakeUp: wakeUp)) else { return }
        await withTaskCancellationHandler {
            await wakeUp.wait()
        } onCancel: {
            remove(wakeUp)
        }
        try Task.checkCancellation()
    }

    /// - Returns: Whether it has to wait.
    private func add(_ sleeper: Sleeper) -> Bool {
        progress.withLock { progress in
            progress.changes += 1
            if sleeper.deadline <= progress.time { return false }
            let index =
                progress.sleepers.firstIndex { $0.deadline > sleeper.deadline }
                ?? progress.sleepers.endIndex
            progress.sleepers.insert(sleeper, at: index)
            return true
        }
    }

    private func remove(_ wakeUp: WakeUp) {
        progress.withLock { progress in
            progress.changes += 1
            progress.sleepers.removeAll { $0.wakeUp === wakeUp }
        }
        wakeUp.ring()
    }

    /// Goes on to the first deadline that isn't after `limit` and wakes one who waits for it.
    ///
    /// - Returns: Whether there was one. If not, the clock stands at `limit`, unless that is
    ///   past.
    func wakeFirst(until limit: Instant?) -> Bool {
        let woken = progress.withLock { progress -> WakeUp? in
            guard let first = progress.sleepers.first,
                limit.map({ first.deadline <= $0 }) ?? true
            else {
                if let limit { progress.time = max(progress.time, limit) }
                return nil
            }
            progress.sleepers.removeFirst()
            progress.time = max(progress.time, first.deadline)
            progress.changes += 1
            return first.wakeUp
        }
        woken?.ring()
        return woken != nil
    }
}
