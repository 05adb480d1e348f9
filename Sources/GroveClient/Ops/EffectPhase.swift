/// The phase of an effect, by what it waits for.
public enum EffectPhase: String, Hashable, Sendable, CaseIterable {
    /// It waits in a queue.
    case waiting
    /// It waits for its time: a timer, or the pause before another attempt.
    case sleeping
    /// Its handler runs.
    case active
    /// It waits for an answer from outside.
    case asking
    /// It waits for the end of a child.
    case child
    /// Its result is there and waits to be applied.
    case delivering
    /// It has failed for good and is kept for inspection.
    case failed
    /// It is completed and can be undone.
    case completed
}
