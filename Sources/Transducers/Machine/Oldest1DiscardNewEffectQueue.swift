/// A queue whose oldest effect runs, and keeps others from starting.
public protocol Oldest1DiscardNewEffectQueue: EffectQueue {}

extension Oldest1DiscardNewEffectQueue {
    /// Only the oldest; others never start.
    public var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .discardNew) }
}
