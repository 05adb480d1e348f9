import Transducers

/// Time that stands still until the test advances it, so that waiting takes no time and happens
/// in the same order in every run.
///
/// Those who sleep are woken by deadline, and with the same deadline in the order in which they
/// went to sleep: one at a time, each followed by a while for what it does then. Cancelling a
/// task that sleeps wakes it at once. May be used from any thread.
///
/// A ``TestTransducer`` has one; give it to the environment too, and there is one time for all.
public final class VirtualClock: Clock, @unchecked Sendable {
    // Sendable, because all that changes is used under the lock alone.

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

    struct Sleeper {
        let deadline: Instant
        let wakeUp: WakeUp
    }

    private let lock = Lock()
    private var time = Instant(offset: .zero)
    /// In the order in which they are to be woken.
    private var sleepers: [Sleeper] = []
    /// Counts what happens, so that quiet can be told from work.
    private var changes: UInt64 = 0

    /// A clock that stands at zero.
    public init() {}

    /// Any time is told exactly.
    public var minimumResolution: Duration { .zero }

    /// The moment the clock stands at.
    public var now: Instant { lock.withLock { time } }

    /// How many tasks sleep by this clock.
    public var sleeperCount: Int { lock.withLock { sleepers.count } }

    /// When the first of them is to wake; `nil` when none sleeps.
    public var nextDeadline: Instant? { lock.withLock { sleepers.first?.deadline } }

    var changeCount: UInt64 { lock.withLock { changes } }

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
        lock.withLock {
            changes += 1
            if sleeper.deadline <= time { return false }
            let place =
                sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? sleepers.endIndex
            sleepers.insert(sleeper, at: place)
            return true
        }
    }

    private func remove(_ wakeUp: WakeUp) {
        lock.withLock {
            changes += 1
            sleepers.removeAll { $0.wakeUp === wakeUp }
        }
        wakeUp.ring()
    }

    /// Goes on to the first deadline that isn't after `limit` and wakes one who waits for it.
    ///
    /// - Returns: Whether there was one. If not, the clock stands at `limit`, unless that is
    ///   past.
    func wakeFirst(until limit: Instant?) -> Bool {
        lock.lock()
        guard let first = sleepers.first, limit.map({ first.deadline <= $0 }) ?? true else {
            if let limit { time = max(time, limit) }
            lock.unlock()
            return false
        }
        sleepers.removeFirst()
        time = max(time, first.deadline)
        changes += 1
        lock.unlock()
        first.wakeUp.ring()
        return true
    }
}

extension Lock {
    /// Runs `body` with the lock held.
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
