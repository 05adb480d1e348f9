/// The reply to a repeated dedup key: the short form of the first reply, and a hash of its event.
public struct DedupEntry: Hashable, Sendable {
    /// 128-bit hash of the event in canonical form, upper half.
    public var hashHigh: UInt64
    /// 128-bit hash of the event in canonical form, lower half.
    public var hashLow: UInt64
    public var version: Int64
    public var sequence: JournalPosition
    public var changed: Bool
    public var done: Bool
    /// A hash of the event as it was sent, in case the machine now encodes it differently; `nil`
    /// for a creation, and in records from before schema 4.
    public var written: EventHash?

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
