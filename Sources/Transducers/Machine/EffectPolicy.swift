/// What happens when an effect is started whose id is that of an effect that lives.
public enum EffectPolicy: Sendable, Equatable {
    /// The old one is cancelled and the new one starts. What the old one still reports doesn't
    /// count.
    case replace
    /// Both run.
    case coexist
    /// The old one continues; the new one runs no code.
    case keepOldest
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
