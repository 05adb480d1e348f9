/// Why a cursor is none of this log.
public enum ForeignCursor: Sendable, Hashable {
    /// The text is no cursor.
    case nonsense
    /// It is one of another data file.
    case otherLog
    /// It lies ahead of everything that is stored.
    case ahead
}
