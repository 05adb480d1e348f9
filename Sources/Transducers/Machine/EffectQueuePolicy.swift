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
