/// A step on its way to subscribers.
struct PublishedStep {
    var record: JournalRecord
    /// The state before it; `nil` for a creation.
    var before: [UInt8]?
}
