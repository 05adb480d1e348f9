/// The reason why a cursor doesn't belong to this log.
public enum ForeignCursor: Sendable, Hashable {
    /// The text isn't a cursor.
    case nonsense
    /// It belongs to another data file.
    case otherLog
    /// It is after the last stored record.
    case ahead
}
