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
