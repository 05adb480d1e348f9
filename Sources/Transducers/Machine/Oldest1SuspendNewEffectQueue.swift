/// A queue whose effects run one after the other.
public protocol Oldest1SuspendNewEffectQueue: EffectQueue {}

extension Oldest1SuspendNewEffectQueue {
    /// Only the oldest; others wait.
    public var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .suspendNew) }
}
