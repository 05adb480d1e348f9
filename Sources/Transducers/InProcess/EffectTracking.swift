/// How far a sender's interest in its event goes.
public enum EffectTracking: Sendable, Equatable {
    /// The step of the event, and the work of the effects that it started; not what they cause.
    case own
    /// Everything that follows from the event.
    case tree
}
