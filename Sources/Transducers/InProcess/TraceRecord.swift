/// A record for ``RunOptions/trace``, in the order in which things took effect.
public enum TraceRecord<Machine: BaseTransducer> {
    /// An event was applied. Recorded when the whole step has been accepted.
    case applied(
        Machine.Event, before: Machine.State, after: Machine.State, output: Machine.Output)
    /// An event was refused, or failed. The state is unchanged.
    case refused(Machine.Event, state: Machine.State, error: any Error)
    /// An effect started, after its wait in a queue.
    case effectStarted(EffectRunID, EffectKey)
    /// An effect succeeded.
    case effectEnded(EffectRunID, EffectKey)
    /// An effect was canceled, or never ran.
    case effectCancelled(EffectRunID, EffectKey)
    /// An effect failed permanently.
    case effectFailed(EffectRunID, EffectFailure)
    /// An event of an effect that isn't current was dropped.
    case staleEvent(Machine.Event, EffectRunID)
}
