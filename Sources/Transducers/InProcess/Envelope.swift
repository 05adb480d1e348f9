/// What stands in an inbox.
@usableFromInline
enum Envelope<Event> {
    /// An event, from outside or from a run of an effect.
    case event(Event, run: EffectRunID?, answer: PendingAnswer?)
    /// The end of an effect's work.
    case ended(EffectRunID, failure: (any Error)?)
}
