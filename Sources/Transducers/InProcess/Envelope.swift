/// An entry of an inbox.
@usableFromInline
enum Envelope<Event> {
    /// An event, from outside or from an effect's run.
    case event(Event, run: EffectRunID?, answer: PendingAnswer?)
    /// The place of an event that the machine's owner keeps.
    case kept(number: UInt64)
    /// The end of an effect's run.
    case ended(EffectRunID, failure: (any Error)?)
}
