/// A connection of this server's life, numbered from 1 and never used again.
public struct ConnectionID: Hashable, Sendable, Comparable {
    /// The number.
    public let value: UInt64

    /// Wraps a number.
    public init(_ value: UInt64) { self.value = value }

    /// By value.
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool {
        left.value < right.value
    }
}
