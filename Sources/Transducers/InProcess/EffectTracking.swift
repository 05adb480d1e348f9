/// The extent of a tracked send.
public enum EffectTracking: Sendable, Equatable {
    /// The step of the event, and the effects that it started, but not their events.
    case own
    /// Everything that follows from the event.
    case tree
}
