/// A connection's number, from 1, never reused while the server runs.
public struct ConnectionID: Hashable, Sendable, Comparable {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }

    public static func < (left: ConnectionID, right: ConnectionID) -> Bool {
        left.value < right.value
    }
}
