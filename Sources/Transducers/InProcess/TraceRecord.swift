/// One thing that happened in a machine, as told to ``RunOptions/trace``, in the order in which
/// it took effect.
public enum TraceRecord<Machine: BaseTransducer> {
    /// An event was applied. Told when the whole step has been accepted.
    case applied(
        Machine.Event, before: Machine.State, after: Machine.State, output: Machine.Output)
    /// An event was refused, or failed. The state is as it was.
    case refused(Machine.Event, state: Machine.State, error: any Error)
    /// An effect began to run, after it had waited if it had to.
    case effectStarted(EffectRunID, EffectKey)
    /// An effect's work ended well.
    case effectEnded(EffectRunID, EffectKey)
    /// An effect was cancelled, or never ran.
    case effectCancelled(EffectRunID, EffectKey)
    /// An effect failed for good.
    case effectFailed(EffectRunID, EffectFailure)
    /// An event of an effect that isn't current was dropped.
    case staleEvent(Machine.Event, EffectRunID)
}
