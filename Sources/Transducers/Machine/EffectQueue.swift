/// A queue of effects, identified by its type and value. Of equal values, the newest one's policy
/// and delay apply.
public protocol EffectQueue: Hashable, Sendable {
    /// The effects that run. Default: only the newest.
    var effectQueuePolicy: EffectQueuePolicy { get }
    /// The time between starts. Default: none.
    var effectQueueDelay: EffectQueueDelay { get }
}

extension EffectQueue {
    /// Only the newest.
    public var effectQueuePolicy: EffectQueuePolicy { .runNewest(maxCount: 1) }
    /// None.
    public var effectQueueDelay: EffectQueueDelay { .zero }
}
