/// The rule for starting an effect with the id of a live effect. Rows store the raw value.
public enum EffectPolicy: String, Sendable, Codable {
    /// The old effect is canceled and the new one starts. Later reports of the old one don't
    /// count.
    case replace
    /// Both run.
    case coexist
    /// The old effect continues; the new one runs no code.
    case keepOldest = "keep_oldest"
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
