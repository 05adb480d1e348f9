/// A step on its way to subscribers; an object, since each of its records refers to it.
public final class PublishedStep: Sendable {
    public let record: JournalRecord
    /// The state before it, for records of kind `state` and `trace`; `nil` at a creation, and when
    /// it is no longer held.
    public let before: [UInt8]?

    /// Keeps a step as it is.
    public init(record: JournalRecord, before: [UInt8]?) {
        self.record = record
        self.before = before
    }
}
