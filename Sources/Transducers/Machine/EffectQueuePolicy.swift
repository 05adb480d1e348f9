/// The effects of a queue that run, and the rule for the others.
public enum EffectQueuePolicy: Hashable, Sendable {
    /// At most `maxCount` run: a new one starts, and the oldest one beyond that is canceled.
    case runNewest(maxCount: Int)
    /// At most `maxCount` run: a new one beyond that waits or is dropped.
    case runOldest(maxCount: Int, OverflowPolicy)

    /// The rule for an effect beyond the maximum.
    public enum OverflowPolicy: Hashable, Sendable {
        /// It waits until one that runs has ended: in order of priority, then first come, first
        /// served. At most 1,024 wait; one beyond that fails with
        /// ``TransducerError/effectQueueFull(capacity:)``.
        case suspendNew
        /// It never starts.
        case discardNew
    }
}
