/// What a repeated dedup key answers: the compact reply of the first time, and a hash of the
/// event that had it.
public struct DedupEntry: Hashable, Sendable {
    /// 128-bit hash of the event in canonical form, upper half.
    public var hashHigh: UInt64
    /// 128-bit hash of the event in canonical form, lower half.
    public var hashLow: UInt64
    /// The version the event made.
    public var version: Int64
    /// Its journal step.
    public var sequence: JournalPosition
    /// Whether the state changed.
    public var changed: Bool
    /// Whether the instance was done after it.
    public var done: Bool
    /// A hash of the event as it was sent, for when its machine has come to write it otherwise;
    /// `nil` of a creation, and in records from before schema 4.
    public var written: EventHash?

    /// Puts an entry together.
    public init(
        hashHigh: UInt64, hashLow: UInt64, version: Int64, sequence: JournalPosition, changed: Bool,
        done: Bool
    ) {
        self.hashHigh = hashHigh
        self.hashLow = hashLow
        self.version = version
        self.sequence = sequence
        self.changed = changed
        self.done = done
    }
}
