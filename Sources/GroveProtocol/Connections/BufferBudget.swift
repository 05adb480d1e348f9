/// The memory that all connections together may take for what was read and isn't a request yet,
/// and for what is owed and isn't sent.
///
/// From half of it on, memory is *short*: each connection may only have its share of the other
/// half unsent, instead of `max-pending`, until three quarters are free again. So those that hold
/// most are read last, and who holds little goes on as before.
public struct BufferBudget: Sendable {
    /// Bytes of all connections together.
    public private(set) var bytesMax: Int
    /// Connections that share them.
    public var connections = 0
    /// Bytes that are held.
    public private(set) var bytes = 0
    /// Whether each connection has only its share.
    public private(set) var isShort = false

    /// A budget of which nothing is used.
    public init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes another bound while bytes are held.
    mutating func change(bytesMax: Int) {
        self.bytesMax = bytesMax
        isShort = bytes >= (isShort ? bytesMax / 4 : bytesMax / 2)
    }

    /// Whether nothing is left: nobody is taken in any more.
    public var isSpent: Bool { bytes >= bytesMax }

    /// Bytes above which room is made, until no more than seven eighths are used.
    public var isOverdrawn: Bool { bytes > bytesMax }

    /// Whether enough room was made.
    public var hasRoomAgain: Bool { bytes <= bytesMax / 8 * 7 }

    /// Takes note that one connection holds so many bytes now.
    ///
    /// - Parameters:
    ///   - now: What it holds.
    ///   - counted: What it was counted with; it is `now` afterwards.
    public mutating func count(_ now: Int, insteadOf counted: inout Int) {
        bytes += now - counted
        counted = now
        isShort = bytes >= (isShort ? bytesMax / 4 : bytesMax / 2)
    }

    /// Unsent bytes that one connection may have now.
    ///
    /// - Parameter configured: What it may have while memory isn't short.
    public func pendingBytesMax(_ configured: Int) -> Int {
        guard isShort else { return configured }
        let share = bytesMax / 2 / max(1, connections)
        return min(configured, max(ServerLimits.shareBytesMin, share))
    }
}
