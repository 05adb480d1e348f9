/// What happens when an effect is started whose id is that of an effect that lives.
public enum EffectPolicy: Sendable, Equatable {
    /// The old one is cancelled and the new one starts. What the old one still reports doesn't
    /// count.
    case replace
    /// Both run.
    case coexist
    /// The old one goes on; the new one runs no code.
    case keepOldest
}

/// Which of the effects of a queue run, and what becomes of the others.
public enum EffectQueuePolicy: Hashable, Sendable {
    /// At most `maxCount` run: a new one starts, and the oldest beyond that number is cancelled.
    case runNewest(maxCount: Int)
    /// At most `maxCount` run: a new one beyond that number waits or is dropped.
    case runOldest(maxCount: Int, OverflowPolicy)

    /// What becomes of an effect that doesn't fit.
    public enum OverflowPolicy: Hashable, Sendable {
        /// It waits until one that runs has ended: in order of priority, then first come, first
        /// served. At most 1,024 wait; one beyond that fails with
        /// ``TransducerError/effectQueueFull(capacity:)``.
        case suspendNew
        /// It runs no code.
        case discardNew
    }
}

/// The least time between the starts of two effects of a queue.
public enum EffectQueueDelay: Hashable, Sendable {
    /// The same each time.
    case constant(Duration)
    /// Drawn anew each time.
    case random(ClosedRange<Duration>)

    /// No delay.
    public static let zero = EffectQueueDelay.constant(.zero)

    /// The same each time, in seconds.
    public static func constant(_ seconds: Double) -> EffectQueueDelay {
        .constant(.seconds(seconds))
    }

    /// Drawn anew each time, in seconds.
    public static func random(_ seconds: ClosedRange<Double>) -> EffectQueueDelay {
        .random(.seconds(seconds.lowerBound) ... .seconds(seconds.upperBound))
    }
}

/// A line that effects stand in. A queue is its type and value: two equal values are one queue,
/// and of several equal ones the policy and delay of the newest hold.
public protocol EffectQueue: Hashable, Sendable {
    /// Which of the effects run. By default the newest alone.
    var effectQueuePolicy: EffectQueuePolicy { get }
    /// The spacing of starts. By default none.
    var effectQueueDelay: EffectQueueDelay { get }
}

extension EffectQueue {
    /// The newest alone.
    public var effectQueuePolicy: EffectQueuePolicy { .runNewest(maxCount: 1) }
    /// None.
    public var effectQueueDelay: EffectQueueDelay { .zero }
}

/// A queue whose newest effect runs, and cancels the one before.
public protocol Newest1EffectQueue: EffectQueue {}

/// A queue whose oldest effect runs, and keeps others from starting.
public protocol Oldest1DiscardNewEffectQueue: EffectQueue {}

extension Oldest1DiscardNewEffectQueue {
    /// The oldest alone; others run no code.
    public var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .discardNew) }
}

/// A queue whose effects run one after the other.
public protocol Oldest1SuspendNewEffectQueue: EffectQueue {}

extension Oldest1SuspendNewEffectQueue {
    /// The oldest alone; others wait.
    public var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .suspendNew) }
}

/// A queue of any type, within the scopes its effects came through.
@usableFromInline
package struct QueueKey: Hashable, Sendable {
    var scopes: [AnyKey]
    let base: AnyKey
    let queue: any EffectQueue

    package init(_ queue: any EffectQueue) {
        self.scopes = []
        self.base = AnyKey(queue)
        self.queue = queue
    }

    @usableFromInline
    package static func == (left: QueueKey, right: QueueKey) -> Bool {
        left.scopes == right.scopes && left.base == right.base
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        hasher.combine(scopes)
        hasher.combine(base)
    }
}
