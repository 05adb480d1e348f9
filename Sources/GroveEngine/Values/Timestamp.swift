/// A point in time, in milliseconds since 1970-01-01T00:00:00Z. Part of every input: the engine
/// reads no clock, and no promise depends on it (reliability.md, P11).
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since the epoch.
    public var milliseconds: Int64

    /// Creates a time from milliseconds since the epoch.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Earlier is less.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
