import Transducers

/// A clock that only the test advances, so that waits take no real time and end in the same order
/// in every run.
///
/// Sleeping tasks wake by deadline, then in the order in which they began to sleep: one at a time,
/// and each may run before the next one wakes. Canceling a sleeping task wakes it at once. The
/// clock may be used from any thread.
///
/// A ``TestTransducer`` has one; give it to the environment too, so that all share one time.
public final class VirtualClock: Clock {
    /// A moment, as the time since the clock was made.
    public struct Instant: InstantProtocol, CustomStringConvertible {
        /// Time since the clock was made.
        public let offset: Duration

        /// The moment at this offset.
        public init(offset: Duration) { self.offset = offset }

        /// The moment `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The time until `other`; negative if that is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// The earlier moment is the lesser one.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }

        /// The time since the clock was made.
        public var description: String { "\(offset)" }
    }

    private typealias Sleeper = (deadline: Instant, wakeUp: WakeUp)

    private struct Progress {
        var time = Instant(offset: .zero)
        /// In the order in which they wake.
        var sleepers: [Sleeper] = []
        /// Counts every change, so that a caller can tell whether the clock is in use.
        var changes: UInt64 = 0
    }

    private let progress = Locked(Progress())

    /// A clock at time zero.
    public init() {}

    /// Zero: times are exact.
    public var minimumResolution: Duration { .zero }

    /// The present moment.
    public var now: Instant { progress.withLock { $0.time } }

    /// The number of tasks that sleep.
    public var sleeperCount: Int { progress.withLock { $0.sleepers.count } }

    /// The first deadline of a sleeping task; `nil` when none sleeps.
    public var nextDeadline: Instant? { progress.withLock { $0.sleepers.first?.deadline } }

    var changeCount: UInt64 { progress.withLock { $0.changes } }

    /// Waits until the clock has been advanced to `deadline`; returns at once when that isn't in
    /// the future. The tolerance is ignored.
    ///
    /// - Throws: `CancellationError`, at once, when the task is canceled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let wakeUp = WakeUp()
        guard add((deadline, wakeUp)) else { return }
        await withTaskCancellationHandler {
            await wakeUp.wait()
        } onCancel: {
            remove(wakeUp)
        }
        try Task.checkCancellation()
    }

    /// - Returns: Whether the caller must wait.
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
        wakeUp.wake()
    }

    /// Advances to the first deadline that isn't after `limit`, and wakes one task.
    ///
    /// - Returns: Whether there was one. If not, the clock advances to `limit`, unless that is
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
        woken?.wake()
        return woken != nil
    }
}
