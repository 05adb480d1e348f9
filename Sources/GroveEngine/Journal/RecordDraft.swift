/// The journal record of the event that is applied now: one object for all of them. To create, copy
/// and destroy a record with all its members for each event took a tenth of the engine's time. It
/// keeps the memory of the last event until the next one.
final class RecordDraft {
    // Unchecked: the engine's thread alone uses it, and an event isn't applied within another.
    @exclusivity(unchecked) var record = JournalRecord(sequence: 0, kind: .erased)
}
